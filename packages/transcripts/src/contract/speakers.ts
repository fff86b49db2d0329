import { type Losses, type ReaderContext, type Role, shortened } from '../model/index.js'
import { aliasedRole } from './role-aliases.js'

/**
 * The role of somebody who speaks in a text: as chosen (`role:Ann`, or `role:*` for all others), else by the name
 * (`Customer`, `Bot`), else `user`, which is a loss: a text names people, and only its owner knows who answers.
 *
 * @param speaker undefined where the text does not say who speaks
 */
export function roleOfSpeaker(speaker: string | undefined, { options }: ReaderContext, losses: Losses): Role {
  const chosen = options.columns ?? {}
  const known = aliasedRole(speaker ?? '*', chosen)
  if (known !== undefined) return known
  const who = speaker === undefined ? 'an unknown speaker' : 'a speaker'
  const why = `the file does not say it; choose it, as in --map "role:${shortened(speaker ?? '*', 40)}=human_agent"`
  losses.add('invented', `role of ${who} (user)`, why)
  return 'user'
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
