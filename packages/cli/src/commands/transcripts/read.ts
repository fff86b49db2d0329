import { once } from 'node:events'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderPage } from '@svc/checks'
import { systemClock, type TranscriptDetail } from '@svc/client'
import { escapeHtml, escapeLine, escapeLines } from '@svc/text'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { beforeStop } from '../../io/index.js'
import { cell, documentOf, printJson, printPaged } from '../../output/index.js'
import type { Style } from '../../terminal.js'
import type { Action } from '../action.js'
import { briefly, type ShownTurn, viewOf } from './view.js'

export const readTranscript: Action<[string], { web?: boolean }> = async (context, [id], { web }) => {
  if (web && context.flags.json) {
    throw new CliError(exit.usage, '--web opens a page, which is not JSON.', { hint: 'omit --web or --json' })
  }
  const transcript = await (await context.client()).transcripts.get(id, context.call())
  if (context.flags.json) printJson(context, documentOf('svc/transcript@1', transcript))
  else if (web) await openInBrowser(context, transcript)
  else await printPaged(context, [...linesOf(transcript, context.style.out)].join('\n'))
}

const roleFormats: Partial<Record<string, Parameters<Style>[0]>> = {
  user: 'cyan',
  assistant: 'green',
  human_agent: 'magenta',
  tool: 'yellow',
}

function* linesOf(transcript: TranscriptDetail, style: Style): Generator<string> {
  const { id, name, processing_status, created_at } = transcript
  const { turns, notice, more } = viewOf(transcript)
  const notes = notesOf(transcript, turns.length)
  yield style('bold', escapeLine(cell(name)))
  yield style('dim', escapeLine([id, processing_status, created_at].map(cell).filter(Boolean).join(' · ')))
  if (notice) yield style('yellow', notice)
  for (const note of [...fieldNotes(more), ...notes.whole]) yield noteLine(note, style)
  for (const [i, { role, content, more }] of turns.entries()) {
    yield ''
    yield style(roleFormats[role] ?? 'dim', `${i + 1} ${escapeLine(role)}`)
    // Indented, so that no line of the content looks like a line of svc.
    yield escapeLines(content).replace(/^/gm, '  ')
    for (const note of [...fieldNotes(more), ...notes.of(i + 1)]) yield noteLine(note, style)
  }
  yield ''
}

const fieldNotes = (fields: ShownTurn['more']): Note[] =>
  fields.map(([name, value]) => ({ name, text: briefly(value) }))

const noteLine = ({ name, text }: Note, style: Style): string =>
  `${style('yellow', `▸ ${escapeLine(name)}`)} ${escapeLine(text)}`.trimEnd()

/** Many programs hand the page to a running browser and end at once, so that it stays for so long at least. */
const pageMs = 10_000

/**
 * Write a transcript as a page, and open it in the browser of `BROWSER`, or else of the system. The page is a private file
 * in the folder for temporary files. It is removed when the program of the browser has ended, or at a signal.
 */
async function openInBrowser({ io, say }: Context, transcript: TranscriptDetail): Promise<void> {
  const path = join(tmpdir(), `svc-transcript-${crypto.randomUUID()}.html`)
  let cancel = () => {}
  const waited = new Promise<void>((resolve) => {
    cancel = (io.clock ?? systemClock).after(pageMs, resolve)
  })
  try {
    await io.writeFile(path, await transcriptPage(transcript), false, { isPrivate: true })
    const { started, ended, leave } = browse(io, path)
    await started
    say(`opened ${path}; it is removed in ${pageMs / 1000} s`)
    // The browser may stay open when a signal stops this process.
    await beforeStop(Promise.all([ended, waited]), io.signal).finally(leave)
  } finally {
    cancel()
    await io.removeFile(path)
  }
}

/** Starts the browser. Both promises reject if it cannot show the page. */
function browse(io: Context['io'], path: string) {
  const [program, ...args] = browserOf(io.env)
  const hint = 'set BROWSER to another program, or omit --web'
  const child = io.spawn(program, [...args, path], io.env)
  const started = once(child, 'spawn').catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(exit.input, `Cannot start the browser ${program} (${cause.code}).`, { hint, cause })
  })
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new CliError(exit.input, `The browser ${program} ended with ${code ?? 'a signal'}.`, { hint })
  })
  // Only the first failure is reported.
  ended.catch(() => {})
  return { started, ended, leave: () => child.unref() }
}

const browsers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // The empty text is the title of the window.
  win32: ['cmd', '/c', 'start', ''],
}

const browserOf = ({ BROWSER }: Context['io']['env']): [string, ...string[]] =>
  BROWSER ? [BROWSER] : (browsers[platform()] ?? ['xdg-open'])

function transcriptPage(transcript: TranscriptDetail): Promise<Iterable<string>> {
  const title = escapeHtml(cell(transcript.name)) || '(no name)'
  return renderPage({ title, command: 'svc transcripts read' }, bodyOf(transcript, title))
}

function* bodyOf(transcript: TranscriptDetail, title: string): Generator<string> {
  const { id, processing_status, created_at } = transcript
  const { turns, notice, more } = viewOf(transcript)
  const notes = notesOf(transcript, turns.length)
  yield `<main id="content"><article class="open-case">
<header class="case-head">
<h1><bdi>${title}</bdi></h1>
<p class="soft">${[id, processing_status, created_at].map(cell).filter(Boolean).map(escapeHtml).join(' · ')}</p>
</header>
${notice ? `<p class="soft">${escapeHtml(notice)}</p>\n` : ''}${[...fieldNotes(more), ...notes.whole].map(noteHtml).join('')}`
  for (const [i, { role, content, more }] of turns.entries()) {
    const kind = turnKinds.includes(role) ? ` ${role}` : ''
    yield `<section class="turn${kind}" id="turn-${i + 1}">
<div class="turn-head"><span class="nr">${i + 1}</span><span class="role">${escapeHtml(role)}</span></div>
<div class="content">${linesHtml(content)}</div>
</section>
${[...fieldNotes(more), ...notes.of(i + 1)].map(noteHtml).join('')}`
  }
  yield '</article></main>\n'
}

const turnKinds = ['user', 'assistant', 'system', 'tool', 'human_agent']

const linesHtml = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map(escapeHtml)
    .join('\n')

const noteHtml = ({ name, text }: Note): string =>
  `<div class="finding"><div class="finding-head"><span class="key">${escapeHtml(name)}</span></div>${text === '' ? '' : `<p>${linesHtml(text)}</p>`}</div>\n`

/** An annotation, and the turn that it concerns, from 1. */
interface Note {
  name: string
  text: string
  turn?: number
}

function notesOf({ annotations }: TranscriptDetail, turns: number): { whole: Note[]; of(turn: number): Note[] } {
  const notes = annotations === undefined || annotations === null ? [] : [...notesBelow(annotations, [])]
  const isOfTurn = ({ turn }: Note) => turn !== undefined && turn >= 1 && turn <= turns
  return {
    whole: notes.filter((note) => !isOfTurn(note)),
    of: (turn) => notes.filter((note) => note.turn === turn),
  }
}

/** The annotations have no documented shape: an object with a `turn` concerns that turn, or all with null. */
function* notesBelow(value: unknown, path: readonly string[]): Generator<Note> {
  const name = path.join('.')
  if (typeof value !== 'object' || value === null) yield { name, text: cell(value) }
  else if ('turn' in value) {
    const { turn, ...rest } = value
    const text = Object.values(rest).map(cell).join(' · ')
    yield { name, text, ...(typeof turn === 'number' && { turn }) }
  } else if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    yield { name, text: value.map(cell).join(', ') }
  } else for (const [key, each] of Object.entries(value)) yield* notesBelow(each, [...path, key])
}
