"""How close an observed ranking is to the true one."""
