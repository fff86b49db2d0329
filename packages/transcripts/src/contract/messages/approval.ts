import type { ConversationBuilder, MessageContext } from '../../conversation/index.js'
import { textOf } from '../../json/index.js'

/** Add the answer of a user to the request to run a tool, with its reason. */
export function addApproval(
  approved: boolean,
  reason: unknown,
  context: MessageContext,
  conversation: ConversationBuilder,
): void {
  const mark = approved ? '[approved]' : '[denied]'
  const text = textOf(reason)
  conversation.losses.note(text)
  const metadata = { ...context.metadata, kind: 'approval', approved }
  conversation.addMessage('user', text === undefined ? mark : `${mark} ${text}`, { ...context, metadata })
}
