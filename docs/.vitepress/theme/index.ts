import theme from 'vitepress/theme'
import './contrast.css'
import './landing.css'
import './text.css'

export default theme
