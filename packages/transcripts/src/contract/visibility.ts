import { isObject, wordMap, wordSet } from '../json/index.js'
import type { ConversationDraft, Loss, Place, Placed, ReaderContext } from '../model/index.js'
import { fieldAt } from '../records/index.js'

const meanings = wordMap({
  private: 'isprivate private isinternal internal ishidden hidden privatenote isprivatenote internalnote isnote',
  public: 'public ispublic visible isvisible isuservisible',
  audience: 'visibility audience',
  kind: 'type kind messagetype msgtype commenttype parttype entrytype',
})
const privateKinds = wordSet(
  'note notes privatenote internalnote private internal internalcomment privatecomment whisper agents agentsonly hidden',
)

const cache = new Map<string, ReturnType<typeof meanings.get>>()

function meaningOf(name: string): ReturnType<typeof meanings.get> {
  if (!cache.has(name)) {
    if (cache.size === 1000) cache.clear()
    cache.set(name, name.length <= 20 ? meanings.get(plain(name)) : undefined)
  }
  return cache.get(name)
}

/** True if a field of a message says that the end user did not see it. */
function hides(name: string, value: unknown): boolean {
  const meaning = meaningOf(name)
  if (meaning === 'private') return isTrue(value)
  if (meaning === 'public') return isFalse(value)
  return meaning !== undefined && typeof value === 'string' && value.length <= 20 && privateKinds.has(plain(value))
}

/**
 * `false` for a message that the end user did not see, such as a private note; undefined if the message does not say it.
 *
 * @param chosen the value of the field that says whether it is visible, whatever its name is
 */
export function visibleIn(
  names: Iterable<string>,
  fieldOf: (name: string) => unknown,
  chosen: unknown,
): false | undefined {
  if (isFalse(chosen)) return false
  for (const name of names) if (hides(name, fieldOf(name))) return false
  return undefined
}

/** Hide the turns of the messages that the end user did not see. Fields that say only this are no losses. */
export function withVisibility(
  draft: ConversationDraft,
  messages: readonly Placed[],
  { options, account, usedMaps }: ReaderContext,
): ConversationDraft {
  const chosen = options.columns?.visible
  const hidden = new Set<string>()
  const flags = new Set<string>()
  for (const { value, place } of messages) {
    if (!isObject(value)) continue
    const own = fieldAt(value, chosen)
    if (own !== undefined) usedMaps?.add('visible')
    if (isFalse(own)) hidden.add(keyOf(place))
    for (const name in value) {
      const isHiding = hides(name, value[name])
      if (isHiding) hidden.add(keyOf(place))
      // A kind that hides nothing says something else.
      if (!isHiding && name !== chosen && (meaningOf(name) ?? 'kind') === 'kind') continue
      flags.add(name)
      if (isHiding) account.note(value[name])
      else account.noteWord(value[name])
    }
  }
  for (const turn of hidden.size > 0 ? draft.turns : []) {
    for (let at = turn.place; turn.visible; at = { ...at, pointer: at.pointer.slice(0, at.pointer.lastIndexOf('/')) }) {
      if (hidden.has(keyOf(at))) turn.visible = false
      if (at.pointer === '') break
    }
  }
  if (flags.size === 0) return draft
  const isOther = ({ what }: Loss) => !flags.has(/^(?:message|turn) field "(.*)"$/.exec(what)?.[1] ?? '')
  return { ...draft, losses: draft.losses.filter(isOther) }
}

const keyOf = ({ record, member = '', pointer }: Place): string => `${record} ${pointer} ${member}`
const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
const isTrue = (value: unknown): boolean => isScalar(value) && /^\s*(true|yes|y|t|1)\s*$/i.test(String(value))
const isFalse = (value: unknown): boolean => isScalar(value) && /^\s*(false|no|n|f|0)\s*$/i.test(String(value))
