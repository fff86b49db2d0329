import { type Losses, type ReaderContext, type Role, shortened } from '../model/index.js'
import { aliasedRole } from './role-aliases.js'

const maxNamed = 20

/**
 * The roles of the people who speak in a text: as chosen (`role:Ann`, or `role:*` for all others), else by their names
 * (`Customer`, `Bot`), else `user`, which is a loss: a text names people, and only its owner knows who answers.
 */
export class Speakers {
  readonly #chosen: Record<string, string>
  readonly #named = new Set<string>()

  constructor({ options }: ReaderContext) {
    this.#chosen = options.columns ?? {}
  }

  /** The role of a turn. `speaker` is undefined where the text does not say who speaks. */
  roleOf(speaker: string | undefined, losses: Losses): Role {
    const known = aliasedRole(speaker, this.#chosen) ?? aliasedRole('*', this.#chosen)
    if (known !== undefined) return known
    const isNamed = speaker !== undefined && (this.#named.has(speaker) || this.#named.size < maxNamed)
    if (isNamed) this.#named.add(speaker)
    const name = isNamed ? shortened(speaker, 40) : '*'
    const who = isNamed ? JSON.stringify(name) : speaker === undefined ? 'an unknown speaker' : 'another speaker'
    const why = `the file does not say it; choose it, as in --map "role:${name}=human_agent"`
    losses.add('invented', `role of ${who} (user)`, why)
    return 'user'
  }
}

const label = /^\s*(?=[\p{L}\p{N}])([^:：<>"“”!?;]{1,60}?)\s*(?::(?:\s+|$)|：)/u

/** The speaker and the text of a line such as `Ann Lee: Hello`; undefined if the line does not begin with a name. */
export function speakerLine(line: string): { speaker: string; text: string } | undefined {
  const found = label.exec(line)
  const speaker = found?.[1]
  // Longer beginnings are sentences with a colon.
  if (!found || speaker === undefined || speaker.split(/\s+/).length > 5) return undefined
  return { speaker, text: line.slice(found[0].length).trim() }
}
