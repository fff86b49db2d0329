import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** The text of a file of the repository. */
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

// `pnpm docs:build` writes and checks the pages of docs/reference/api.
const isSkipped = (name: string) => ['node_modules', 'dist', 'api'].includes(name) || /^\.(?!github$)/.test(name)
/** The pages below a folder. */
export const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (isSkipped(entry.name)) return []
    if (entry.isDirectory()) return pagesIn(path)
    return entry.name.endsWith('.md') ? [path] : []
  })

/** The pages of the repository. The files beside the formats are parts of one. */
export const pages = pagesIn('.').filter((path) => !path.startsWith('packages/transcripts/src/formats/'))
