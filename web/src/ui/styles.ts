// The styles that screens adapt. They come with the app, so that those of a screen, which arrive later, follow them.
import "./icon.css";
import "./button.css";
import "./field.css";
import "./card.css";
import "./rows.css";
import "./status-badge.css";
import "./line.css";
import "./ticks.css";
import "./chips.css";
import "./figures.css";
import "./phonecard.css";
import "./dialog.css";
import "./empty-state.css";
