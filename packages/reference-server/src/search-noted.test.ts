import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createServer, referenceKey } from './core.js'
import type { PipelineOptions } from './pipeline.js'
import { B, setUp } from './server-fixture.js'
import type { Change, Store } from './store.js'

/** Of all that was written the last of each; what a server reads out of it was not noted by any upload. */
function keeping(): Store {
  const rows = new Map<string, string>()
  const write = (changes: readonly Change[]) => {
    for (const change of changes) rows.set(`${change.table} ${change.id}`, JSON.stringify(change))
  }
  return {
    load: () => [...rows.values()].map((row) => JSON.parse(row) as Change),
    write,
    replace: write,
    close() {},
  }
}

const said = fc.oneof(
  fc.constantFrom(
    ...[
      'Straße',
      'STRASSE',
      'Ünïcode ΟΔΟΣ',
      'ﬁne',
      'İstanbul',
      '配送 late',
      '🙂 ok',
      'Åse',
      'ſo',
      'Where is order 7 of mine?',
    ],
    ...['This is useless.', 'I am sorry', 'Thanks', 'I give up', 'Error: none', '[tool_call x]', 'I cannot help', ''],
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const role = fc.constantFrom('user', 'assistant', 'tool', 'system')
const talk = fc.array(fc.record({ role, content: fc.array(said, { maxLength: 3 }).map((parts) => parts.join(' ')) }), {
  minLength: 1,
  maxLength: 6,
})

/** Without it a talk is short, and nothing is noted of it. */
const long = { role: 'system', content: 'Be kind to whoever asks. '.repeat(30) }

const words = [
  'strasse',
  'straße',
  'οδος',
  'fine',
  'ﬁ',
  'istanbul',
  '配送',
  '🙂',
  'ÅSE',
  'so',
  'order 7',
  'e',
  'zzzz',
  'late ok',
]
const outcomes = ['strong', 'mixed', 'poor', 'critical', 'indeterminate']
const asked = [
  ...['structure', 'patterns', 'outcome'].flatMap((key) => outcomes.map((value) => `${key}:${value}`)),
  ...[
    'no_user_turn unanswered_user_turn repeated_user_request tool_error unanswered_tool_call empty_assistant_turn',
    'long_monologue user_frustration user_correction escalation_request unresolved_request refusal apology_loop',
    'user_thanks mood',
  ].flatMap((line) => line.split(' ').map((key) => `${key}:true`)),
  ...['domain:general', 'title:Thanks', 'outcome:mine', 'mood:calm'],
]
const queries = [
  ...words.map((word) => `q=${encodeURIComponent(word)}`),
  ...asked.map((annotation) => `annotation=${encodeURIComponent(annotation)}`),
]

const pipelines: Record<string, PipelineOptions> = {
  'by the rules': { afterMs: 10 },
  'with a model': {
    afterMs: 10,
    model: ({ turns }) => (turns.length > 2 ? { outcome: 'mine', tool_error: false } : {}),
  },
}

test.each(Object.entries(pipelines))(
  'what an upload notes changes no search at any time, annotated %s',
  async (_, pipeline) => {
    const anyUploads = fc.array(fc.record({ turns: talk, process: fc.boolean(), isLong: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(anyUploads, fc.nat(5), async (uploads, annotated) => {
        const store = keeping()
        const { server, send, clock, newProject } = setUp({ store, pipeline })
        const id = newProject()
        for (const { turns, process, isLong } of uploads) {
          const body = { name: 't', turns: isLong ? [long, ...turns] : turns, process }
          await send(`${B}/projects/${id}/transcripts`, { body })
          clock.time += 4
        }
        const transcript = server.world.transcripts(id)[annotated]
        if (transcript) server.world.annotate(transcript, { mood: 'calm', outcome: 'poor', refusal: true })
        const noted = server.world.transcripts(id).filter(({ sketch }) => sketch)
        expect(noted).toHaveLength(uploads.filter(({ isLong }) => isLong).length)
        const lazy = createServer({ store, clock, pipeline })
        expect(lazy.world.transcripts(id).some(({ sketch, verdict }) => sketch ?? verdict)).toBe(false)
        const find = async (over: typeof server, query: string) => {
          const headers = { authorization: `Bearer ${referenceKey}` }
          const answer = await over.fetch(new Request(`${B}/projects/${id}/transcripts?${query}`, { headers }))
          return ((await answer.json()) as { data: unknown }).data
        }
        for (const ms of [0, 8, 8, 8, 100]) {
          clock.time += ms
          for (const query of queries) expect(await find(server, query), query).toEqual(await find(lazy, query))
        }
      }),
      { numRuns: 15 },
    )
  },
)
