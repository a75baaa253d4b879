# Rank sets of many collections: FILE, systems, and whether the best are asked for. A line of FILE has means and
# their covariance, a line of the output lower and upper ranks, or the best set, and seconds.
arguments <- commandArgs(TRUE)
suppressMessages(library(csranks))
m <- as.integer(arguments[2])
cat(as.character(packageVersion("csranks")), "\n")
set.seed(1)
for (line in readLines(arguments[1])) {
  numbers <- as.numeric(strsplit(line, " ")[[1]])
  x <- numbers[1:m]
  covariance <- matrix(numbers[-(1:m)], m)
  began <- proc.time()[["user.self"]]
  found <- tryCatch(
    if (arguments[3] == "best") as.integer(cstaubest(x, covariance, tau = 1))
    else { sets <- csranks(x, covariance); c(sets$L, sets$U) },
    error = function(e) rep(NaN, if (arguments[3] == "best") m else 2 * m)
  )
  cat(found, proc.time()[["user.self"]] - began, "\n")
}
