/** A number that a measured one is held against. */
export interface Goal {
  bound: 'at most' | 'at least'
  value: number
  unit: string
}

const atMost = (value: number, unit: string): Goal => ({ bound: 'at most', value, unit })
const atLeast = (value: number, unit: string): Goal => ({ bound: 'at least', value, unit })

/** What the client, the command and the reference server are to reach. */
export const goals = {
  createClient: atMost(15, 'kB'),
  importing: atMost(10, 'ms'),
  get: atMost(1.25, '× bare openapi-fetch'),
  getOverNodeTransport: atMost(0.75, '× raw fetch'),
  getOverConnections: atMost(0.5, '× raw fetch'),
  upload: atMost(1.15, '× raw fetch'),
  /** One piece of the body, and its head. */
  afterAbort: atMost(265, 'kB'),
  quotaUsed: atLeast(97, '%'),
  /** In the worst window; so many for each process that uses the key. */
  refusals: (processes: number) => atMost(processes, 'a window'),
  /** Whatever is kept for each call takes 8 bytes at least; below that it is what the collector had not yet seen. */
  heapGrowth: atMost(5, 'B a call'),
  exit: atMost(50, 'ms'),
  version: atMost(1.5, '× node -e 0'),
  help: atMost(2, '× node -e 0'),
  health: atMost(3.5, '× node -e 0'),
  installed: atMost(3, 'MB'),
  dependencies: atMost(0, 'packages'),
  bulkSlow: atLeast(0.95, '× undici Pool'),
  bulkFast: atLeast(0.5, '× undici Pool'),
  bulkMemory: atMost(150, 'MB'),
  /** Of the input; it is sent as it comes. */
  bulkBegins: atMost(50, '%'),
  bulkPlan: atMost(10, 's'),
  serverRequest: atMost(2.5, '× bare node:http'),
  serverStart: atMost(250, 'ms'),
  serverFetch: atMost(100, 'µs'),
  refusedIn: atMost(100, 'ms'),
  refusedMemory: atMost(32, 'MB'),
  search: atMost(1_000, 'ms'),
  transcripts: atMost(2, '× JSON.parse'),
  importMemory: atMost(64, 'MB'),
  secondCheck: atMost(0, 'requests'),
  changedCheck: atMost(3, 'requests'),
  checkReports: atMost(2, 's'),
  checkMemory: atMost(300, 'MB'),
  contractSuite: atMost(60, 's'),
  reportShell: atMost(60, 'kB'),
  reportInteractive: atMost(1_000, 'ms'),
}
