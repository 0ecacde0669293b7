"""Space-filling designs: WSP, adaptive WSP, and others to compare with."""
