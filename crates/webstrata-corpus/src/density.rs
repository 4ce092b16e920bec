//! How the tokens of a corpus spread over text densities, and the models of it (thesis, 4.3 and 4.4.4).
