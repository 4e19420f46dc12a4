import type { MailTexts } from "./mail-texts.ts";

export const en: MailTexts = {
  direction: "ltr",
  greeting: "Hello {name},",
  greetingWithoutName: "Hello,",
  linkHint: "If the button does not work, open this address:",
  footer: {
    account: "You get this mail because of your Farline account.",
    newsletter: "You get this mail because this address was entered for the Farline newsletter.",
  },
  links: {
    verify_email: {
      subject: "Confirm your email address",
      paragraphs: [
        "Thank you for choosing Farline. Please confirm that this email address is yours.",
        "The link works for 24 hours.",
      ],
      button: "Confirm my address",
      note: "You did not sign up with Farline? Ignore this mail. Nothing happens without the link.",
    },
    reset_password: {
      subject: "Choose a new password",
      paragraphs: [
        "Somebody, hopefully you, asked for a new password for your Farline account.",
        "The link works once, for 30 minutes. After that, all your devices are signed out, passkeys and Google are removed, and you sign in with the new password.",
      ],
      button: "Choose a new password",
      note: "It was not you? Ignore this mail. Your password stays as it is.",
    },
    change_email_new: {
      subject: "Confirm your new email address",
      paragraphs: [
        "You asked to use {newEmail} for your Farline account. Please confirm that this address is yours.",
        "If we wrote to your present address too, open the link in that mail as well. Both links work for 24 hours.",
      ],
      button: "Confirm the new address",
      note: "You did not ask for this? Ignore this mail. Nothing changes without the link.",
    },
    change_email_old: {
      subject: "Confirm the change of your email address",
      paragraphs: [
        "Somebody, hopefully you, asked to change the email address of your Farline account to {newEmail}.",
        "The change is made when it is confirmed here and at the new address. Both links work for 24 hours.",
      ],
      button: "Confirm the change",
      note: "It was not you? Do not open the link. Sign in and choose a new password now.",
    },
    newsletter_confirm: {
      subject: "Confirm your newsletter",
      paragraphs: ["Please confirm that you want the Farline newsletter at this address."],
      button: "Send me the newsletter",
      note: "You did not ask for it? Ignore this mail. You will hear no more from us.",
    },
    newsletter_welcome: {
      subject: "You will get our newsletter",
      paragraphs: ["Thank you. From now on, the Farline newsletter comes to this address.", "You can end it at any time:"],
      button: "Unsubscribe",
      note: "Keep this mail if you want to have the link at hand. Every newsletter has one, too.",
    },
  },
  notice: {
    when: "When: {when}",
    device: "Device: {device}",
    button: "Choose a new password",
    note: "It was not you? Choose a new password at once. That signs out every device.",
    removed: "We also removed what somebody else could have set up: {things}.",
    things: {
      email_change: "a change of email address",
      passkeys: "passkeys",
      google: "a Google account",
      authenticator: "two-step sign-in",
      auto_top_up: "the automatic top-up",
      saved_cards: "saved cards",
      live_calls: "running calls",
    },
    codeStays:
      "Two-step sign-in is still on: signing in asks for a code from your authenticator app. If you did not set it up, write to us.",
    events: {
      password_changed: {
        subject: "Your password was changed",
        text: "The password of your Farline account was changed. All other devices were signed out.",
      },
      password_reset: {
        subject: "You have a new password",
        text: "A new password was set for your Farline account through a link in a mail. All devices were signed out.",
      },
      address_proved: {
        subject: "You confirmed your email address with Google",
        text: "Your Farline account now opens with Google. Somebody had signed up with your address before and never confirmed it. That password no longer works, and all devices were signed out.",
      },
      email_changed: {
        subject: "Your email address was changed",
        text: "Your Farline account has a new email address. Mails no longer come to this one.",
      },
      session_stopped: {
        subject: "We signed out one of your devices",
        text: "Your Farline sign-in was used from a browser that it does not belong to. To be safe, we ended it. This can happen when you clear your cookies.",
      },
      google_linked: {
        subject: "You can now sign in with Google",
        text: "A Google account was connected to your Farline account.",
      },
      google_unlinked: {
        subject: "Sign-in with Google was removed",
        text: "The Google account was disconnected from your Farline account.",
      },
      two_factor_on: {
        subject: "Two-step sign-in is on",
        text: "From now on, signing in to your Farline account also asks for a code from your authenticator app.",
      },
      two_factor_off: {
        subject: "Two-step sign-in is off",
        text: "Signing in to your Farline account no longer asks for a code from an authenticator app.",
      },
      recovery_codes_new: {
        subject: "You have new recovery codes",
        text: "New recovery codes were made for your Farline account. The old ones no longer work.",
      },
      passkey_added: {
        subject: "A passkey was added",
        text: "A passkey was added to your Farline account. It can be used to sign in.",
      },
      passkey_removed: {
        subject: "A passkey was removed",
        text: "A passkey was removed from your Farline account. It can no longer be used to sign in.",
      },
      limits_loosened: {
        subject: "Your own limits allow more now",
        text: "Your own limits for calls were changed or removed in your Farline account: calls can now cost more, or reach more countries.",
      },
    },
  },
  account: {
    button: "Write to us",
    events: {
      account_frozen: {
        subject: "We locked your account for calls and payments",
        text: "Something about a card payment on your Farline account needs a closer look. Until a person has looked at it, you cannot call or top up. You can still sign in and see your calls and contacts.",
        note: "Write to us, and we look into it soon. Please do not ask your bank to take a payment back before you have written to us.",
      },
      account_unfrozen: {
        subject: "Your account is open again",
        text: "We looked at your Farline account. You can call and top up again.",
        note: "Thank you for your patience. If something still does not work, write to us.",
      },
    },
  },
  autoTopUp: {
    button: "See my billing page",
    events: {
      declined: {
        subject: "Your automatic top-up did not work",
        text: "Your card did not pay the automatic top-up of {amount}. We will try once more when your credit is low.",
        note: "Check your card, or save another one. You can also top up by hand.",
      },
      stopped: {
        subject: "Your automatic top-up has stopped",
        text: "Your card did not pay the automatic top-up of {amount}, for the second time. We will not try again by ourselves.",
        note: "To go on, save another card or switch the automatic top-up on again on your billing page.",
      },
      authentication_required: {
        subject: "Your bank wants you to confirm",
        text: "Your bank did not allow the automatic top-up of {amount}: it wants you to confirm the payment yourself. The automatic top-up has stopped until then.",
        note: "Open your billing page and pay by hand. Your bank asks you there. With some cards this happens every time: another card may be better.",
      },
    },
  },
  receipt: {
    kinds: {
      payment: {
        subject: "Your receipt {number}",
        text: "Thank you. We received {amount} by card, and your credit is ready to use.",
      },
      auto_top_up: {
        subject: "Your automatic top-up, receipt {number}",
        text: "Your balance was low, so we topped it up with {amount} from your saved card, as you asked us to.",
      },
      refund: {
        subject: "Your refund, receipt {number}",
        text: "We sent {amount} back to your card. Your bank may need 5 to 10 days to show it.",
      },
      withdrawal: {
        subject: "Your withdrawal, receipt {number}",
        text: "We sent {amount} of unused credit back to your card. Your bank may need 5 to 10 days to show it.",
      },
      refund_returned: {
        subject: "A refund came back, receipt {number}",
        text: "Your card did not take {amount} that we sent back. The amount is credit in your balance again.",
      },
    },
    facts: {
      number: "Receipt: {number}",
      at: "Date: {when}",
      amount: "Amount: {amount}",
      tax: "Tax included: {amount} ({percent} %)",
      bonus: "Bonus credit: {amount}",
      card: "Card: {card}",
      seller: "Seller: {seller}",
    },
    sample: "This is a sample from a sandbox. No real money moved.",
    button: "See the receipt",
    note: "On its page you can print it or save it as a PDF file. If something is wrong, write to us.",
  },
};
