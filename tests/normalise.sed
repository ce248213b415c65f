# What may differ between two runs of the same command. Applied to the expected and the actual output.

# Times: "in 0.12 s" -> "in T s".
s/ in [0-9][0-9]*\(\.[0-9]*\)\{0,1\} s\([^A-Za-z0-9_]\|$\)/ in T s\2/g

# The environment (machine, binding, MPI), the first line or in JSON an object: recognised, not compared.
s/^allround 0\..*/allround 0. (this machine)/
/^  "environment": {/,/^  }/d

# What a refusal says about the machine.
s/this machine has .*/this machine has M/
