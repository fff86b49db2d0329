import { defineFormat } from '../../contract/index.js'
import { asObject, type JsonObject, objectsOf } from '../../json/index.js'

/** The JSON of DiscordChatExporter. */
export const discord = defineFormat({
  id: 'discord',
  title: 'Discord export',
  accepts: '{ "guild", "channel", "messages": [{ "type", "timestamp", "author": { "name", "isBot" }, "content" }] }',
  signature: { 'channel messages[].author.isBot': 0.97, 'guild channel messages[]': 0.9 },
  conversation: {
    name: 'channel.name',
    externalId: 'channel.id',
    metadata: { guild: 'guild.name', category: 'channel.category', topic: 'channel.topic' },
  },
  messages: 'messages',
  role: ({ type, author }: JsonObject) =>
    type !== 'Default' && type !== 'Reply' ? 'event' : asObject(author).isBot === true ? 'bot' : undefined,
  roles: { assistant: 'bot', omitted: 'event' },
  speaker: ['author.nickname', 'author.name'],
  text: 'content',
  files: ({ attachments }) =>
    objectsOf(attachments).map(({ fileName, url }) => ({ type: 'file', file_name: fileName, url })),
  time: 'timestamp',
  structure: 'name color avatarUrl iconUrl discriminator code imageUrl roles categoryId messageCount',
})
