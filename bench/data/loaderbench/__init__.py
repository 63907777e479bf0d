"""The benchmark of data loaders: the set, the peers' adapters, the measurement and the page. bench/data/README.md describes it whole."""
