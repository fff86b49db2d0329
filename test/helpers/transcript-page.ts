import { createShell } from './run-cli.js'
import { createSession } from './session.js'

/** The page that `svc transcripts read --web` writes of a transcript of the service. */
export async function transcriptPage(data: object): Promise<string> {
  const { svc } = createShell({ ...createSession(), fetch: async () => Response.json({ data }) })
  let page = ''
  const io = {
    async writeFile(_: string, parts: Iterable<string> | AsyncIterable<string>) {
      for await (const part of parts) page += part
    },
  }
  // The program that shows the page fails, so that nothing waits for a reader.
  await svc(['transcripts', 'read', 'tr_6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10', '--web'], {
    env: { BROWSER: 'false' },
    io,
  })
  return page
}
