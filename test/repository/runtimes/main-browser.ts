import { job } from '../../helpers/runtimes/job.js'

/** The job in a page or a worker of a browser: asks its origin for the URLs, and posts the report there. */
async function main() {
  const urls = await (await fetch('/urls')).json()
  return JSON.stringify(await job(urls))
}

const body = await main().catch((error: unknown) => String((error as Error)?.stack ?? error))
await fetch('/report', { method: 'POST', body })
