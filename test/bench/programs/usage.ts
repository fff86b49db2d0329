/**
 * Preloaded into a server that is measured. Answers over IPC what its process has used so far: microseconds of the
 * processor, bytes of memory now and at the most, bytes of heap after a collection where the process may collect.
 */
export interface Used {
  cpu: number
  rss: number
  peak: number
  heap: number
}

process.on('message', async () => {
  // What finalizers let go is collected by the next round.
  for (let i = 0; i < 5 && globalThis.gc; i++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const used: Used = { cpu: user + system, rss, peak: process.resourceUsage().maxRSS * 1024, heap: heapUsed }
  process.send?.(used)
})
