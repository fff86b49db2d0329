import type { Io } from '../io/index.js'
import { userFileOf } from './folders.js'
import { variables } from './resolve.js'

/** A shorter one is a word like any other. */
const shortest = 8

/**
 * The keys of the environment and of every profile, also of a file that is otherwise wrong, as they may stand in a text:
 * as they are, and in JSON.
 */
export async function configuredKeys(io: Io, config: string | undefined): Promise<string[]> {
  const fromEnvironment = Object.entries(variables).flatMap(([name, variable]) =>
    name.endsWith('Key') ? (io.env[variable] ?? []) : [],
  )
  const path = config ?? userFileOf(io.env)
  const fromFile = path === undefined || !io.isThere(path) ? [] : keysIn(await textIn(io, path))
  return [...fromEnvironment, ...fromFile].flatMap(formsOf)
}

/** The forms in which a key is looked for; none of a key that is too short to tell from a word. */
export const formsOf = (key: string): string[] =>
  key.trim().length < shortest ? [] : [...new Set([key.trim(), JSON.stringify(key.trim()).slice(1, -1)])]

const textIn = (io: Io, path: string): Promise<string> =>
  io.readFile(path).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  )

const keysIn = (text: string): string[] =>
  Array.from(text.matchAll(/"(?:a|annotationA|workspaceA)piKey"\s*:\s*"([^"]+)"/g), ([, key = '']) => key)
