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
    const name = speaker === undefined ? undefined : shortened(speaker, 40)
    if (name !== undefined && (this.#named.has(name) || this.#named.size < maxNamed)) {
      this.#named.add(name)
      losses.add(
        'invented',
        `role of "${name}" (user)`,
        `the file does not say it; choose it: --map "role:${name}=user"`,
      )
    } else if (name !== undefined) losses.add('invented', 'role of another speaker (user)', chooseAny)
    else losses.add('invented', 'role of an unknown speaker (user)', `the file does not say who speaks; ${chooseAny}`)
    return 'user'
  }
}

const chooseAny = 'choose it: --map "role:*=user"'

const label = /^\s*(?=[\p{L}\p{N}])([^:：<>"“”!?;]{1,60}?)\s*(?::(?:\s+|$)|：)/u

/** The speaker and the text of a line such as `Ann Lee: Hello`; undefined if the line does not begin with a name. */
export function speakerLine(line: string): { speaker: string; text: string } | undefined {
  const found = label.exec(line)
  const speaker = found?.[1]
  // Longer beginnings are sentences with a colon.
  if (!found || speaker === undefined || speaker.split(/\s+/).length > 5) return undefined
  return { speaker, text: line.slice(found[0].length).trim() }
}
