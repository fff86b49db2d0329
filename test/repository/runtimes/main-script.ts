import { nodeTransport } from '@svc/client/node'
import { job } from '../../helpers/runtimes/job.js'

/** The job in a process: its argument holds the URLs; prints the report as one line. */
async function main() {
  const { urls, transport } = JSON.parse(process.argv[2] ?? '')
  const made = transport ? nodeTransport() : undefined
  console.log(JSON.stringify(await job(urls, { transport: made })))
  await made?.close()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
