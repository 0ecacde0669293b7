"""The builder of the documentation's site: hooks of MkDocs, and generated pages."""
