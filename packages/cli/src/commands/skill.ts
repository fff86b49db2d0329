import { fileURLToPath } from 'node:url'
import type { Context } from '../context.js'
import type { Io } from '../io/index.js'
import { type Action, type Command, examples, type SetAction } from './action.js'

/** The page for agents that the package has, of the version that runs. */
export async function skillText(io: Pick<Io, 'isThere' | 'readFile'>): Promise<string> {
  // Beside `dist` in the package, and beside `src` in the repository.
  const places = ['../', '../../'].map((up) => fileURLToPath(new URL(`${up}skills/svc/SKILL.md`, import.meta.url)))
  return new TextDecoder().decode(await io.readFile(places.find((path) => io.isThere(path)) ?? String(places[0])))
}

/** The file of the skill in the folder of the agent that a project uses; undefined without one, or if it is there. */
export function skillPlace({ isThere, resolve }: Pick<Io, 'isThere' | 'resolve'>): string | undefined {
  const folder = ['.claude', '.agents'].find((name) => isThere(resolve(name)))
  const file = `${folder}/skills/svc/SKILL.md`
  return folder === undefined || isThere(resolve(file)) ? undefined : file
}

const skill: Action<[], object> = async ({ io }: Context) => io.stdout.write(await skillText(io))

export function skillCommand(command: Command, setAction: SetAction): void {
  command.addHelpText('after', examples('svc skill', 'svc skill > SKILL.md'))
  setAction(command, skill)
}
