import type { TranscriptDetail } from '@svc/client'
import { refuseMalformed, wrongItems } from '../../errors/index.js'
import { CliError, exit } from '../../exit.js'
import { cell, documentOf, printJson, printPaged } from '../../output/index.js'
import { inert, inertLines, type Style } from '../../terminal/index.js'
import type { Action } from '../action.js'
import { type Note, notesOf } from './notes.js'

export const showTranscript: Action<[string], { web?: boolean }> = async (context, [id], { web }) => {
  if (web && context.flags.json) {
    throw new CliError(exit.usage, '--web opens a page, which is not JSON.', { hint: 'omit --web or --json' })
  }
  const transcript = await (await context.client()).transcripts.get(id, context.call())
  if (context.flags.json) printJson(context, documentOf('svc/transcript@1', transcript))
  else {
    const { turns } = transcript
    if (turns !== undefined) refuseMalformed(wrongItems(turns, '/data/turns', { role: 'a text', content: 'a text' }))
    if (web) await (await import('./web.js')).openInBrowser(context, transcript)
    else await printPaged(context, [...linesOf(transcript, context.style.out)].join('\n'))
  }
  return undefined
}

const roleFormats: Partial<Record<string, Parameters<Style>[0]>> = {
  user: 'cyan',
  assistant: 'green',
  human_agent: 'magenta',
  tool: 'yellow',
}

/** The transcript for a person: its name, what concerns all of it, and each turn with its annotations below it. */
function* linesOf(transcript: TranscriptDetail, style: Style): Generator<string> {
  const { id, name, turns = [], processing_status, created_at } = transcript
  const notes = notesOf(transcript)
  yield style('bold', inert(cell(name)))
  yield style('dim', inert([id, processing_status, created_at].map(cell).filter(Boolean).join(' · ')))
  for (const note of notes.whole) yield noteLine(note, style)
  for (const [i, { role, content }] of turns.entries()) {
    yield ''
    yield style(roleFormats[role] ?? 'dim', `${i + 1} ${inert(role)}`)
    // Indented, so that no line of the content looks like a line of svc.
    yield inertLines(content).replace(/^/gm, '  ')
    for (const note of notes.of(i + 1)) yield noteLine(note, style)
  }
  yield ''
}

const noteLine = ({ name, text }: Note, style: Style): string =>
  `${style('yellow', `▸ ${inert(name)}`)} ${inert(text)}`.trimEnd()
