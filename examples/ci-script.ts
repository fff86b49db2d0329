// A gate of your own in CI: check the transcripts of the named files, print every finding, and end with the exit code of the
// gate. It passes only if each transcript is judged: a file that cannot be read, an unknown outcome and an answer of another
// annotator count as not judged. `svc check` does this with reports, a baseline and a cache.
import { readFileSync } from 'node:fs'
import { type CheckInput, check } from '@svc/checks'
import { createClient } from '@svc/client'
import { locateAll, parse } from '@svc/transcripts'

/** The transcripts of a file, or the reason why it cannot be read. */
function transcriptsOf(path: string): CheckInput[] {
  try {
    const file = readFileSync(path)
    return parse(file).transcripts.map((transcript) => {
      const places = transcript.turns.map(({ place }) => place)
      return { path, transcript, positions: locateAll([file], places) }
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
