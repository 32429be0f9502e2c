//! Nothing: the programs and the tests beside it are what this package is for.
