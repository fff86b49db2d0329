import { jsonObject } from '../config/index.js'
import { CliError, exit } from '../exit.js'
import type { Io } from '../io/index.js'

export interface OptionFlags {
  options?: string
  option?: Record<string, string>
  /** The options of the policy, which the flags override. */
  preset?: Record<string, unknown> | undefined
}

/** The options of the policy, overridden by the options file, overridden by single flags. */
export async function readOptions(io: Io, flags: OptionFlags): Promise<Record<string, unknown> | undefined> {
  if (!flags.options && !flags.option) return flags.preset
  const fromFile = flags.options ? await readOptionsFile(io, flags.options) : {}
  const single = Object.entries(flags.option ?? {}).map(([key, text]) => [key, jsonOr(text, text)])
  return { ...flags.preset, ...fromFile, ...Object.fromEntries(single) }
}

async function readOptionsFile(io: Io, path: string): Promise<Record<string, unknown>> {
  const bytes = await io.readFile(path).catch((cause: unknown) => {
    io.signal.throwIfAborted()
    throw new CliError(exit.input, `${path}: the options file cannot be read.`, {
      cause,
      hint: 'give the path of a JSON file',
    })
  })
  const { success, data } = jsonObject.safeParse(jsonOr(new TextDecoder().decode(bytes), undefined))
  if (success) return data
  throw new CliError(exit.input, `${path}: expected the options as one JSON object.`)
}

/** Parse JSON; returns `otherwise` if the text is not JSON. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}
