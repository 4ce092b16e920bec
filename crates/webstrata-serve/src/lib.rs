//! webstrata as a server.
