"""The field reports of the shared corpus as cases, one module per section; `REFUSALS` need only the binary."""
