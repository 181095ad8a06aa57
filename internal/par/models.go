package par

// fewRows is the largest number of rows with which several models are trained at the same time.
const fewRows = 200_000

// AtOnce returns how many of several models are trained at the same time on the same rows, and on how many
// threads each. threads is the number of all threads; if it is below 1, one for each processor.
func AtOnce(models, rows, threads int) (atOnce, threadsOfEach int) {
	threads = Threads(threads)
	if rows > fewRows {
		return 1, threads
	}
	atOnce = max(1, min(threads, models))
	return atOnce, threads / atOnce
}
