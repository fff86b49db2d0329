import { defineFormat, type Note, roleByFlag } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { attachmentParts, namesOf } from './message.js'

/** The messages of a conversation, as the API of Front lists them. */
export const front = defineFormat({
  id: 'front',
  title: 'Front conversation',
  accepts: '{ "_results": [{ "id", "is_inbound", "created_at", "author", "recipients", "body", "text" }] }',
  signature: { '_results[].is_inbound _results[].created_at': 0.97 },
  conversation: {
    name: ({ _results: messages }) => objectsOf(messages).at(-1)?.subject,
    externalId: ({ _results: messages }) =>
      conversationOf(objectsOf(messages).find(({ is_draft: isDraft }) => isDraft !== true) ?? {}),
  },
  messages: '_results',
  // The newest message is the first.
  order: 'created_at',
  // A draft was not sent.
  role: ({ is_draft: isDraft, is_inbound: isInbound }) =>
    isDraft === true ? 'draft' : roleByFlag(isInbound, 'customer', 'agent'),
  roles: { user: 'customer', human_agent: 'agent', omitted: 'draft' },
  text: ({ text, blurb }, note) => {
    // The beginning of the text.
    if (typeof text === 'string' && typeof blurb === 'string' && text.includes(blurb)) note(blurb)
    return text
  },
  html: 'body',
  files: ({ attachments }) => attachmentParts(attachments),
  time: 'created_at',
  metadata: {
    author: ({ author }, note) => namesOf([personOf(asObject(author), note)], note)[0],
    username: 'author.username',
    subject: 'subject',
    to: ({ recipients }, note) => namesOf(withRole(recipients, 'to'), note),
    cc: ({ recipients }, note) => namesOf(withRole(recipients, 'cc'), note),
    from: ({ recipients }, note) => namesOf(withRole(recipients, 'from'), note)[0],
  },
  structure: '_links next self conversation message role is_draft draft_mode error_type',
})

function personOf({ first_name: first, last_name: last, email }: JsonObject, note: Note): JsonObject {
  const names = [textOf(first), textOf(last)].filter((name) => name !== undefined)
  note.each(names)
  return { name: names.join(' '), email }
}

const withRole = (recipients: unknown, role: string) => objectsOf(recipients).filter((person) => person.role === role)

/** The id at the end of the link to the conversation of a message. */
const conversationOf = ({ _links: links }: JsonObject) => {
  const link = asObject(asObject(links).related).conversation
  return textOf(link)?.split('/').at(-1)
}
