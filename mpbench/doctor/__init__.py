"""Features that this machine has and lacks: `facts` examines it, and `findings`
judges."""
