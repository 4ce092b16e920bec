//! Near-duplicates, without comparing each page with each (thesis, 4.2.5).
