//! Pages cut into segments by the density of their text (thesis, 4.2).
