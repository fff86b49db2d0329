import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../helpers/page-files.js'

/** Each feature, with the folders of the packages where it is decided and its unit tests are. */
const decidedIn: Record<string, readonly string[]> = {
  client: ['client/src/http', 'client/src/node'],
  command: ['cli/src'],
  formats: ['transcripts/src'],
  gate: ['checks/src', 'checks/app'],
  lists: ['client/src/pagination', 'reference-server/src/ambiguities'],
  mock: ['reference-server/src'],
  retry: [
    'client/src/http',
    'client/src/retry',
    'client/src/rate-limit',
    'client/src/reconciliation',
    'client/src/errors',
  ],
  'scale-out': ['bulk/src/upload', 'bulk/src/ledger', 'checks/src/check', 'checks/src/compare'],
  sessions: ['cli/src/input', 'transcripts/src/formats'],
  upload: ['bulk/src', 'cli/src/commands/upload'],
}

const page = join(root, 'CONTRIBUTING.md')
const [before, after] = ['<!-- features, written from the tree -->', '<!-- end of features -->']

function rowOf(feature: string): string {
  const folders = decidedIn[feature] ?? expect.fail(`Name the folders where ${feature} is decided.`)
  const links = folders.map((folder) => `[\`${folder}\`](packages/${folder})`).join(', ')
  return `- [**${feature}**](test/features/${feature}): decided in ${links}.`
}

it('CONTRIBUTING.md lists the features as the tree has them', async () => {
  const text = readFileSync(page, 'utf8')
  const rows = readdirSync(join(root, 'test/features')).sort().map(rowOf).join('\n')
  const [start, end] = [text.indexOf(before), text.indexOf(after)]
  expect([start, end].every((at) => at > 0)).toBe(true)
  await expect(`${text.slice(0, start)}${before}\n\n${rows}\n\n${text.slice(end)}`).toMatchFileSnapshot(page)
})

it('every folder of a feature is there', () => {
  const missing = Object.values(decidedIn).flatMap((folders) =>
    folders.filter((folder) => readdirSync(join(root, 'packages', folder)).length === 0),
  )
  expect(missing).toEqual([])
})
