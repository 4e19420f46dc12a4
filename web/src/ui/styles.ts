// Styles that pages override. They load with the app, so that a page's own styles, which load later, win.
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
import "./money/phonecard.css";
import "./dialog.css";
import "./empty-state.css";
