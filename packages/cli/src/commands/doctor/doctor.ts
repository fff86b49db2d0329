import { escapeLine } from '@svc/text'
import type { Command } from 'commander'
import type { Context } from '../../context.js'
import { exit } from '../../exit.js'
import { printJson, tsv } from '../../output/index.js'
import { type Action, examples, type SetAction } from '../action.js'
import type { Check } from './check.js'
import { extraCertificates, folderChecks, nodeCheck, settingsOf, terminalCheck } from './local.js'
import { networkChecks, serviceChecks } from './service.js'

export const doctor: Action<[], { offline?: boolean }> = async (context, _, { offline = false }) => {
  const checks: Check[] = []
  const add = (newChecks: readonly Check[]) => {
    checks.push(...newChecks)
    if (!context.flags.json) for (const check of newChecks) print(context, check)
  }
  add([nodeCheck(context.io.nodeVersion)])
  const { settings, checks: ofSettings } = await settingsOf(context)
  add(ofSettings)
  add(await extraCertificates(context))
  if (settings && !offline) {
    add(await networkChecks(context, settings))
    add(await serviceChecks(context, settings))
  }
  add(await folderChecks(context))
  add([terminalCheck(context)])
  const code = checks.find(({ state }) => state === 'problem')?.exit ?? exit.ok
  if (context.flags.json) printJson(context, { schema: 'svc/doctor@1', exit: code, checks })
  return code
}

const colors = { ok: 'green', warning: 'yellow', problem: 'red' } as const

function print({ io, style }: Context, { state, name, message, hint = '' }: Check): void {
  if (!io.stdout.isTTY) return io.stdout.write(tsv([[state, name, message, hint]]))
  const line = `${style.out(colors[state], state.padEnd(7))}  ${name.padEnd(18)}  ${escapeLine(message)}\n`
  io.stdout.write(hint ? `${line}${' '.repeat(9)}hint: ${escapeLine(hint)}\n` : line)
}

export function doctorCommand(command: Command, setAction: SetAction): void {
  command.option('--offline', 'send no requests').addHelpText(
    'after',
    `
Writes nothing to the service and shows no key. Exit code: 0, or that of the first problem.
${examples('svc doctor', 'svc doctor --json')}`,
  )
  setAction(command, doctor)
}
