// Preloaded into a measured process: reports its CPU in milliseconds and its peak memory in megabytes, over IPC on request,
// else on file descriptor 3 at its end.
const { readFileSync, writeSync } = require('node:fs')
const used = () => {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1_000, peak: peakKilobytes() / 1_000 }
}
// On Linux, maxRSS is at least what the parent held when it started this process, so the peak comes from /proc.
const peakKilobytes = () =>
  process.platform === 'linux'
    ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
    : process.resourceUsage().maxRSS
if (process.send) process.on('message', () => process.send(used()))
else process.on('exit', () => writeSync(3, JSON.stringify(used())))
