"""What this machine has and lacks: `facts` looks, `findings` judges."""
