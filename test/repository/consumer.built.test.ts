import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { createApp, entries, nameOf, programOf, type Setting } from './consumer/app.js'
import { openInEditor } from './consumer/editor.js'

const app = createApp()
afterAll(() => app.remove())

// The oldest and the newest compiler, with and without the DOM; `test:full` adds 5.9, 6.0 and the other module settings.
const settings: Setting[] = [
  { compiler: 'ts54', module: 'node16', dom: false, zod: false },
  { compiler: 'ts7', module: 'esnext', dom: true },
]

describe('the packed client in an application', () => {
  for (const setting of settings) {
    it.concurrent(`type-checks under ${nameOf(setting)}`, async () => {
      expect(await app.compile(setting)).toBe('')
    }, 120_000)
  }

  it('the packed client in an application has a program for each entry', () => {
    expect(readdirSync(app.folder)).toEqual(expect.arrayContaining(entries().map(programOf)))
  })
})

describe('an editor with the packed client', () => {
  const editor = () => openInEditor(app.folder, 'editor.mts')

  it('offers what can be written next', async () => {
    const { completions } = editor()
    const offered = [
      'createClient({ |apiKey',
      'svc.|transcripts.upload',
      'svc.transcripts.|upload',
      'upload(projectId, conversation, { |timeoutMs',
      'annotations.create({ |annotator',
      "outcome === '|poor'",
      'svc.projects.list({ |limit',
      'transcripts.list(projectId, { |language',
      'page.|data',
      'transcript.|processing_status',
      "processing_status === '|error'",
      'project?.|transcript_count',
      'row.|turn_count',
      'annotation.|signals',
      'error.|violations',
      "error.kind === '|rate_limited'",
      'error.status === |404',
      'error.|retryAt',
    ].map(
      (place) =>
        `${place}\n${completions(place)
          .map((name) => `  ${name}`)
          .join('\n')}\n`,
    )
    await expect(offered.join('\n')).toMatchFileSnapshot('./consumer/__snapshots__/completions.txt')
  })

  it('shows named types, with a sentence for each method and field', async () => {
    const { hover } = editor()
    const shown = [
      'const tran|script = await svc',
      'transcripts.up|load',
      'transcript.processing_|status',
      'const annot|ation',
      'annotations.cre|ate',
      'const h|it',
      'hit?.evid|ence',
      'const pa|ge =',
      'const pro|ject =',
      'const r|ow of',
      'row.turn_|count',
      '{ lim|it: 20 }',
      'timeout|Ms: 60_000',
      'error.viol|ations',
      'error.candi|dates',
      'error.retry|At',
      'create|Client({',
    ].map((place) => `${place.split('\n')[0]}\n${hover(place).replaceAll(/^/gm, '  ')}\n`)
    await expect(shown.join('\n')).toMatchFileSnapshot('./consumer/__snapshots__/hovers.txt')
  })
})
