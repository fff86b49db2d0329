import { wordMap, wordSet } from '../json/index.js'

const meanings = wordMap({
  private: 'isprivate private isinternal internal ishidden hidden privatenote isprivatenote internalnote',
  public: 'public ispublic visible isvisible isuservisible',
  kind: 'type kind messagetype msgtype commenttype parttype entrytype visibility',
})
const privateKinds = wordSet(
  'note notes privatenote internalnote private internal internalcomment privatecomment whisper',
)

const cache = new Map<string, ReturnType<typeof meanings.get>>()

function meaningOf(name: string): ReturnType<typeof meanings.get> {
  if (!cache.has(name)) {
    if (cache.size === 1000) cache.clear()
    cache.set(name, name.length <= 20 ? meanings.get(plain(name)) : undefined)
  }
  return cache.get(name)
}

/**
 * `false` for a message that the end user did not see, such as a private note; undefined if the message does not say it.
 *
 * @param chosen the value of the field that says whether it is visible, whatever its name is
 */
export function visibleIn(
  names: Iterable<string>,
  fieldOf: (name: string) => unknown,
  chosen?: unknown,
): false | undefined {
  if (isFalse(chosen)) return false
  for (const name of names) {
    const meaning = meaningOf(name)
    if (meaning === undefined) continue
    const value = fieldOf(name)
    if (meaning === 'private' ? isTrue(value) : meaning === 'public' && isFalse(value)) return false
    if (meaning === 'kind' && typeof value === 'string' && value.length <= 20 && privateKinds.has(plain(value)))
      return false
  }
  return undefined
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)
const isTrue = (value: unknown): boolean => isScalar(value) && /^\s*(true|yes|y|t|1)\s*$/i.test(String(value))
const isFalse = (value: unknown): boolean => isScalar(value) && /^\s*(false|no|n|f|0)\s*$/i.test(String(value))
