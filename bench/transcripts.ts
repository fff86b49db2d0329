import { readdirSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { writeChatGptExport, writeCodexLog } from './large-files.js'
import { row } from './measure.js'
import { compiled, run, withFolder } from './processes.js'

/** The import of generated files, and of those in `SVC_REAL_DATA`, beside JSON.parse of the same bytes. */
export const benchTranscripts = (): Promise<void> =>
  withFolder(async (folder) => {
    const program = await compiled('parser')
    const ratioOf = async (paths: string[]) => Number((await run([program, ...paths])).out)
    const chatGpt = join(folder, 'conversations.json')
    const codex = join(folder, 'rollout.jsonl')
    await writeChatGptExport(chatGpt, 2e6)
    await writeCodexLog(codex, 2e6)
    const importRow = (what: string, ratio: number) => row(`import of ${what}, CPU`, ratio, '≤', 4, '× JSON.parse')
    importRow('a ChatGPT export of 2 MB', await ratioOf([chatGpt]))
    importRow('a Codex log of 2 MB', await ratioOf([codex]))
    const folders = (process.env.SVC_REAL_DATA ?? '').split(delimiter).filter((each) => each !== '')
    const large = folders
      .flatMap((real) => readdirSync(real, { recursive: true, encoding: 'utf8' }).map((name) => join(real, name)))
      .filter((path) => /\.(json|jsonl|traj)$/.test(path) && statSync(path).size > 100_000)
    if (large.length > 0) importRow('real files over 100 kB', await ratioOf(large))
  })
