import type { Command } from 'commander'
import { CliError, exit } from '../../exit.js'
import { nearest } from '../../nearest.js'
import { printJson } from '../../output/index.js'
import { type Action, examples, type SetAction } from '../action.js'
import { exitCodes } from './exit-codes.js'

const explain: Action<[string], object> = async (context, [code]) => {
  const found = exitCodes.find((each) => String(each.code) === code || each.kinds.includes(code))
  if (!found) throw unknownCode(code)
  if (context.flags.json) printJson(context, { schema: 'svc/exit-code@1', ...found })
  else context.io.stdout.write(`Exit code ${found.code}: ${found.meaning}\nNext: ${found.next}\n`)
  return undefined
}

function unknownCode(code: string): CliError {
  const names = exitCodes.flatMap((each) => [String(each.code), ...each.kinds])
  const meant = Number.isNaN(Number(code)) ? nearest(code, names) : undefined
  return new CliError(exit.usage, `Unknown code "${code}".`, {
    hint: meant ? `did you mean ${meant}?` : '`svc help exit-codes` lists the exit codes',
  })
}

export function explainCommand(command: Command, setAction: SetAction): void {
  command.addHelpText('after', examples('svc explain 10', 'svc explain rate_limited'))
  setAction(command, explain)
}
