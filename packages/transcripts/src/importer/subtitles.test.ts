import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locate, parse } from '../index.js'
import { Importer } from './importer.js'

interface Said {
  speaker: string
  text: string
}

// A number alone on a line may be that of a cue.
const word = fc.string({ unit: fc.constantFrom(...'abcéß😀1.,?'), maxLength: 8 }).map((text) => `x${text}`)
const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const conversation = fc.array(fc.record({ speaker: fc.constantFrom('Ann Lee', 'Bob', 'Zoë'), text: sentence }), {
  minLength: 1,
  maxLength: 70,
})

const clock = (ms: number, point: string) => new Date(ms).toISOString().slice(11, 23).replace('.', point)
const times = (at: number, point: string) => `${clock(at * 2000, point)} --> ${clock(at * 2000 + 1500, point)}`
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** As programs write what is said. */
const writers: Record<string, (said: Said[]) => string> = {
  'WebVTT with voices': (said) =>
    `WEBVTT\n\n${said.map(({ speaker, text }, at) => `${times(at, '.')} align:start\n<v ${speaker}>${escaped(text)}</v>\n\n`).join('')}`,
  'WebVTT with names': (said) =>
    `WEBVTT\n\n${said.map(({ speaker, text }, at) => `${at}\n${times(at, '.')}\n${speaker}: ${escaped(text)}`).join('\n\n')}`,
  SRT: (said) => said.map(({ speaker, text }, at) => `${at + 1}\n${times(at, ',')}\n${speaker}: ${text}\n`).join('\n'),
  'SRT without numbers and blank lines': (said) =>
    said.map(({ speaker, text }, at) => `${times(at, '.')}\n${speaker}: ${text}\n`).join(''),
  'SRT with a line for each word': (said) =>
    said
      .map(({ speaker, text }, at) => `${at + 1}\n${times(at, ',')}\n${speaker}: ${text.replaceAll(' ', '\n\n')}\n`)
      .join('\n'),
}

/** The turns of what is said: one for consecutive cues of a speaker. */
function turnsOf(said: readonly Said[]) {
  const turns: { speaker: string; content: string; start: number; end: number }[] = []
  for (const [at, { speaker, text }] of said.entries()) {
    const last = turns.at(-1)
    const end = at * 2 + 1.5
    if (last?.speaker !== speaker) turns.push({ speaker, content: text, start: at * 2, end })
    else Object.assign(last, { content: `${last.content} ${text}`, end })
  }
  return turns
}

const read = (text: string | Uint8Array) =>
  parse(text).transcripts.map(({ turns }) =>
    turns.map(({ content, metadata }) => ({
      speaker: metadata?.speaker,
      content,
      start: metadata?.start,
      end: metadata?.end,
    })),
  )

describe('subtitles', () => {
  it.each(Object.entries(writers))('what is said is read back from %s', (_, write) => {
    fc.assert(
      fc.property(conversation, (said) => {
        const text = write(said)
        expect(read(text)).toEqual([turnsOf(said)])
        expect(read(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual([turnsOf(said)])
      }),
      { numRuns: 50 },
    )
  })

  it.each(Object.entries(writers))('every turn of %s has the place of its text', (_, write) => {
    fc.assert(
      fc.property(conversation, (said) => {
        const text = write(said)
        const lines = text.split('\n')
        for (const { turns } of parse(text).transcripts)
          for (const { place, content } of turns) {
            const { line, column } = locate(text, place)
            expect([place.record, column]).toEqual([line, 1])
            expect(lines[line - 1]).toContain(escaped(content.split(' ')[0] ?? ''))
          }
      }),
      { numRuns: 20 },
    )
  })

  it('are read in UTF-16', () => {
    const text = writers.SRT?.([{ speaker: 'Zoë', text: 'Grüße 😀' }]) ?? ''
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
    expect(read(bytes)).toEqual([[{ speaker: 'Zoë', content: 'Grüße 😀', start: 0, end: 1.5 }]])
  })

  it('that are not Unicode are refused with the place', () => {
    const bytes = Uint8Array.from('1\n00:00:01,000 --> 00:00:02,000\nAnn: Gr\xfc\xdfe\n', (character) =>
      character.charCodeAt(0),
    )
    expect(() => parse(bytes)).toThrow(
      'line 3, column 8: expected UTF-8, found invalid bytes; convert the file to UTF-8',
    )
  })

  it('hold only the turns in memory while they are read', () => {
    const importer = new Importer()
    const cue = (at: number) => `${times(at, ',')}\nAnn: Hello\n\n`
    let waiting = 0
    for (let at = 0; at < 40_000; at++) for (const complete of importer.push(cue(at))) waiting += complete.length
    expect(waiting).toBe(0)
    const [transcript] = [...importer.end()].flat()
    expect(transcript?.turns).toHaveLength(1)
    expect(transcript?.turns[0]?.content).toHaveLength(40_000 * 6 - 1)
  })
})
