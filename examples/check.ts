// A gate of your own: check the transcripts of the named files, print every finding, and end with the exit code of a gate.
import { readFileSync } from 'node:fs'
import { type CheckInput, check } from '@svc/checks'
import { createClient } from '@svc/client'
import { locateAll, parse } from '@svc/transcripts'

/** The transcripts of a file. A file that cannot be read counts as not judged. */
function transcriptsOf(path: string): CheckInput[] {
  try {
    const text = readFileSync(path, 'utf8')
    return parse(text).transcripts.map((transcript) => {
      const places = transcript.turns.map(({ place }) => place)
      return { path, transcript, positions: locateAll([text], places) }
    })
  } catch (error) {
    return [{ path, error }]
  }
}

const { report, render } = await check({
  client: createClient(),
  annotator: 'structural',
  transcripts: process.argv.slice(2).flatMap(transcriptsOf),
  policy: { failOn: 'critical', forbidden: ['loop'] },
})
process.stdout.write(await render('terminal'))
process.exitCode = report.exit
