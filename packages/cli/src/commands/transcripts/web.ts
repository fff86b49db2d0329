import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriptDetail } from '@svc/client'
import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { cell } from '../../output/index.js'
import { staticPage } from '../../static-page.js'
import { inertHtml } from '../../terminal/index.js'
import { type Note, notesOf } from './notes.js'

/**
 * Write a transcript as a page, and open it in the browser of `BROWSER`, or else of the system. The page is a private file
 * in the folder for temporary files, which stays there because the browser may read it later.
 */
export async function openInBrowser({ io, say }: Context, transcript: TranscriptDetail): Promise<void> {
  const path = join(tmpdir(), `svc-transcript-${crypto.randomUUID()}.html`)
  await io.writeFile(path, transcriptPage(transcript), false, { isPrivate: true })
  const [program, ...args] = browserOf(io.env)
  const child = io.spawn(program, [...args, path], io.env)
  child.unref()
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', reject)
  }).catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(exit.input, `Cannot start the browser ${program} (${cause.code}).`, {
      hint: `open ${path}, or set BROWSER`,
      cause,
    })
  })
  say(`opened ${path}`)
}

const browsers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // The empty text is the title of the window.
  win32: ['cmd', '/c', 'start', ''],
}

const browserOf = ({ BROWSER }: Context['io']['env']): [string, ...string[]] =>
  BROWSER ? [BROWSER] : (browsers[platform()] ?? ['xdg-open'])

export function* transcriptPage(transcript: TranscriptDetail): Generator<string> {
  const title = inertHtml(cell(transcript.name)) || '(no name)'
  yield* staticPage(title, 'svc transcripts show', bodyOf(transcript, title))
}

function* bodyOf(transcript: TranscriptDetail, title: string): Generator<string> {
  const { id, turns = [], processing_status, created_at } = transcript
  const notes = notesOf(transcript)
  yield `<main id="content"><article class="open-case">
<header class="case-head">
<h1><bdi>${title}</bdi></h1>
<p class="soft">${[id, processing_status, created_at].map(cell).filter(Boolean).map(inertHtml).join(' · ')}</p>
</header>
${notes.whole.map(noteHtml).join('')}`
  for (const [i, { role, content }] of turns.entries()) {
    const kind = turnKinds.includes(role) ? ` ${role}` : ''
    yield `<section class="turn${kind}" id="turn-${i + 1}">
<div class="turn-head"><span class="nr">${i + 1}</span><span class="role">${inertHtml(role)}</span></div>
<div class="content">${linesHtml(content)}</div>
</section>
${notes
  .of(i + 1)
  .map(noteHtml)
  .join('')}`
  }
  yield '</article></main>\n'
}

const turnKinds = ['user', 'assistant', 'system', 'tool', 'human_agent']

const linesHtml = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map(inertHtml)
    .join('\n')

const noteHtml = ({ name, text }: Note): string =>
  `<div class="finding"><div class="finding-head"><span class="key">${inertHtml(name)}</span></div>${text === '' ? '' : `<p>${linesHtml(text)}</p>`}</div>\n`
