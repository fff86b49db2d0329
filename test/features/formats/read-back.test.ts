import { parse, type Transcript, toAnnotationMessages, toUpload } from '@svc/transcripts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleLayouts } from '../../../packages/transcripts/test/fixtures/sample-files.js'
import { runs } from '../../helpers/long.js'
import { createSession } from '../../helpers/session.js'
import { conversations, saidIn } from './conversations.js'
import { writers } from './writers.js'

/** The long form, which test:full runs. */

/** Uploads transcripts and asserts that the server has their turns. */
async function readBack(transcripts: readonly Transcript[]): Promise<void> {
  const { svc } = createSession()
  const { id } = await svc.projects.create({ name: 'Read back' })
  for (const transcript of transcripts) {
    const body = toUpload(transcript)
    const stored = await svc.transcripts.upload(id, body)
    const record = await svc.transcripts.get(stored.id)
    expect(record.turns).toEqual(body.turns)
    // An annotator is asked the same about the file, the upload, and what is stored.
    const messages = toAnnotationMessages(transcript)
    expect(toAnnotationMessages({ turns: record.turns ?? [] })).toEqual(messages)
    expect(parse(JSON.stringify(record)).transcripts.map(toAnnotationMessages)).toEqual([messages])
    const { outcome } = await svc.annotations.create({ annotator: 'structural', transcript: messages })
    if (body.process !== false) expect(record.annotations).toMatchObject({ structure: outcome })
  }
}

describe('any conversation', () => {
  it.each(writers)('written as $format is read as it was said, stored and read back', async (writer) => {
    const some = fc.array(conversations(writer.withTools), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(some, async (all) => {
        const { format, transcripts, skipped } = parse(writer.write(all), { format: writer.format })
        expect([format, skipped]).toEqual([writer.format, []])
        const written = writer.format === 'codex' ? all.slice(0, 1) : all
        const turns = transcripts.map((each) =>
          each.turns.map(({ role, content, toolCalls, toolResults }) => ({
            role,
            content,
            ...(toolCalls && { toolCalls }),
            ...(toolResults && { toolResults }),
          })),
        )
        expect(turns).toEqual(written.map((conversation) => [...(writer.before ?? []), ...saidIn(conversation)]))
        expect(transcripts.flatMap(({ losses }) => losses)).toEqual([])
        await readBack(transcripts)
      }),
      { numRuns: runs(5) },
    )
  })

  it.each(writers)('written as $format is known for it', (writer) => {
    fc.assert(
      fc.property(fc.array(conversations(writer.withTools), { minLength: 1, maxLength: 3 }), (all) => {
        expect(parse(writer.write(all)).format).toBe(writer.format)
      }),
      { numRuns: runs(20) },
    )
  })
})

it.each(sampleLayouts)('the sample of $id is stored and read back from $layout', async ({ text }) => {
  await readBack(parse(text).transcripts)
})
