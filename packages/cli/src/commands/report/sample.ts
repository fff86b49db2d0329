import { readReport, renderSample, sampleReport } from '@svc/checks'
import { CliError, exit } from '../../exit.js'
import { guardWrites } from '../../input/index.js'
import { refuseUnwritableFile, writeOut } from '../../io/index.js'
import { printJson } from '../../output/index.js'
import { type Action, type Command, examples, type SetAction } from '../action.js'
import { upTo } from '../arguments.js'
import { readPlaces } from './files.js'

interface SampleFlags {
  size?: number
  seed?: string
  out?: string
}

export function sampleCommand(report: Command, setAction: SetAction): void {
  const command = report
    .command('sample <report>')
    .description('Draw failing and passing transcripts into a page on which a person labels them')
    .option('--size <n>', 'the most transcripts, half failing and half passing (default: 60)', upTo(10_000, 2))
    .option('--seed <text>', 'draw another sample of the same size (default: 0)')
    .option('--out <file>', 'write the page to this file (default: standard output)')
    .addHelpText(
      'after',
      `
The page hides the verdicts. The report must have the turns: write it with --with-turns.
${examples('svc report sample report.json --size 60 --out sample.html')}`,
    )
  setAction(command, sampleOfReport)
}

const what = 'the page'

const sampleOfReport: Action<[report: string], SampleFlags> = async (context, [path], { size, seed, out }) => {
  const { io } = context
  if (context.flags.json && out === undefined)
    throw new CliError(exit.usage, '--json requires --out.', { hint: 'add --out sample.html' })
  if (out !== undefined) {
    await guardWrites(io, [...readPlaces([path]), { what: '--out', path: out }], [])
    await refuseUnwritableFile(io, what, out)
  }
  const sample = sampleReport(await readReport(io, path), { size, seed })
  const parts = await renderSample(sample)
  if (out === undefined) for (const part of parts) io.stdout.write(part)
  else await writeOut(io, what, out, parts, { isPrivate: true })
  const sizeOf = (stratum: 'failed' | 'passed') => {
    const { total = 0, drawn = 0 } = sample.cases.find((each) => each.stratum.name === stratum)?.stratum ?? {}
    return { total, drawn }
  }
  const [failed, passed] = [sizeOf('failed'), sizeOf('passed')]
  if (context.flags.json) printJson(context, { schema: 'svc/label-sample@1', id: sample.id, out, failed, passed })
  context.say(`drawn: ${failed.drawn} of ${failed.total} that failed, ${passed.drawn} of ${passed.total} that passed`)
}
