import type { MailTexts } from "./mail-texts.ts";

export const es: MailTexts = {
  direction: "ltr",
  greeting: "Hola, {name}:",
  greetingWithoutName: "Hola:",
  linkHint: "Si el botón no funciona, abre esta dirección:",
  help: "¿Preguntas? Escribe a {support}.",
  firstCallFree: "Después, tu primera llamada es gratis, hasta {firstCall}.",
  footer: {
    account: "Recibes este correo porque tienes una cuenta de Farline.",
    newsletter: "Recibes este correo porque alguien escribió esta dirección para las novedades de tarifas de Farline.",
  },
  links: {
    verify_email: {
      subject: "Confirma tu dirección de correo",
      paragraphs: [
        "Gracias por elegir Farline. Confirma que esta dirección de correo es tuya.",
        "El enlace funciona durante 24 horas.",
      ],
      button: "Confirmar mi dirección",
      note: "¿No te has registrado en Farline? Ignora este correo. Sin el enlace no pasa nada.",
    },
    reset_password: {
      subject: "Elige una contraseña nueva",
      paragraphs: [
        "Alguien, esperamos que tú, ha pedido una contraseña nueva para tu cuenta de Farline.",
        "El enlace funciona una sola vez, durante 30 minutos. Después se cierra la sesión en todos tus dispositivos, se quitan las llaves de acceso y Google, y entras con la contraseña nueva.",
      ],
      button: "Elegir una contraseña nueva",
      note: "¿No has sido tú? Ignora este correo. Tu contraseña no cambia.",
    },
    change_email_new: {
      subject: "Confirma tu nueva dirección de correo",
      paragraphs: [
        "Has pedido usar {newEmail} en tu cuenta de Farline. Confirma que esta dirección es tuya.",
        "Si también te hemos escrito a tu dirección actual, abre además el enlace de ese correo. Los dos enlaces funcionan durante 24 horas.",
      ],
      button: "Confirmar la nueva dirección",
      note: "¿No lo has pedido tú? Ignora este correo. Sin el enlace no cambia nada.",
    },
    change_email_old: {
      subject: "Confirma el cambio de tu dirección de correo",
      paragraphs: [
        "Alguien, esperamos que tú, ha pedido cambiar la dirección de correo de tu cuenta de Farline a {newEmail}.",
        "El cambio se hace cuando se confirma aquí y en la nueva dirección. Los dos enlaces funcionan durante 24 horas.",
      ],
      button: "Confirmar el cambio",
      note: "¿No has sido tú? No abras el enlace. Entra en tu cuenta y elige ahora una contraseña nueva.",
    },
    export_ready: {
      subject: "Tus datos están listos",
      paragraphs: [
        "Pediste una copia de todo lo que Farline guarda sobre ti. Ya puedes descargarla.",
        "El enlace funciona una vez, durante {days} días, y solo con tu sesión iniciada. Después borramos el archivo.",
      ],
      button: "Descargar mis datos",
      note: "¿No lo pediste tú? No reenvíes este correo. Inicia sesión y elige una contraseña nueva.",
    },
    newsletter_confirm: {
      subject: "Confirma las novedades de tarifas",
      paragraphs: ["Confirma que quieres recibir las novedades de tarifas de Farline en esta dirección."],
      button: "Quiero recibirlas",
      note: "¿No lo has pedido tú? Ignora este correo. No te escribiremos más.",
    },
    newsletter_welcome: {
      subject: "Vas a recibir nuestras novedades de tarifas",
      paragraphs: [
        "Gracias. Desde ahora, las novedades de tarifas de Farline llegan a esta dirección.",
        "Puedes darte de baja cuando quieras:",
      ],
      button: "Darme de baja",
      note: "Guarda este correo si quieres tener el enlace a mano. Cada mensaje también trae uno.",
    },
  },
  notice: {
    when: "Cuándo: {when}",
    device: "Dispositivo: {device}",
    button: "Elegir una contraseña nueva",
    note: "¿No has sido tú? Elige enseguida una contraseña nueva. Así se cierra la sesión en todos los dispositivos.",
    removed: "También hemos quitado lo que otra persona pudo haber puesto: {things}.",
    things: {
      email_change: "un cambio de correo",
      passkeys: "las llaves de acceso",
      google: "una cuenta de Google",
      authenticator: "el inicio de sesión en dos pasos",
      auto_top_up: "la recarga automática",
      saved_cards: "las tarjetas guardadas",
      live_calls: "las llamadas en curso",
      caller_number: "el número que muestran tus llamadas",
    },
    codeStays:
      "El inicio de sesión en dos pasos sigue activo: al entrar te pedimos un código de tu aplicación de autenticación. Si no lo activaste tú, escríbenos.",
    events: {
      password_changed: {
        subject: "Tu contraseña ha cambiado",
        text: "Se ha cambiado la contraseña de tu cuenta de Farline. Se ha cerrado la sesión en los demás dispositivos.",
      },
      password_reset: {
        subject: "Tienes una contraseña nueva",
        text: "Se ha puesto una contraseña nueva a tu cuenta de Farline con un enlace de un correo. Se ha cerrado la sesión en todos los dispositivos.",
      },
      address_proved: {
        subject: "Has confirmado tu dirección de correo con Google",
        text: "Tu cuenta de Farline se abre ahora con Google. Alguien se había registrado antes con tu dirección y nunca la confirmó. Esa contraseña ya no funciona y se ha cerrado la sesión en todos los dispositivos.",
      },
      email_changed: {
        subject: "Tu dirección de correo ha cambiado",
        text: "Tu cuenta de Farline tiene una nueva dirección de correo. A esta ya no llegan correos.",
      },
      session_stopped: {
        subject: "Hemos cerrado la sesión en uno de tus dispositivos",
        text: "Tu sesión de Farline se ha usado en un navegador al que no pertenece. Por seguridad, la hemos cerrado. Puede pasar cuando borras las cookies.",
      },
      google_linked: {
        subject: "Ya puedes entrar con Google",
        text: "Se ha conectado una cuenta de Google a tu cuenta de Farline.",
      },
      google_unlinked: {
        subject: "Se ha quitado la entrada con Google",
        text: "La cuenta de Google ya no está conectada a tu cuenta de Farline.",
      },
      two_factor_on: {
        subject: "La entrada en dos pasos está activada",
        text: "Desde ahora, para entrar en tu cuenta de Farline también se pide un código de tu aplicación de autenticación.",
      },
      two_factor_off: {
        subject: "La entrada en dos pasos está desactivada",
        text: "Para entrar en tu cuenta de Farline ya no se pide un código de una aplicación de autenticación.",
      },
      recovery_codes_new: {
        subject: "Tienes nuevos códigos de recuperación",
        text: "Se han creado nuevos códigos de recuperación para tu cuenta de Farline. Los anteriores ya no sirven.",
      },
      passkey_added: {
        subject: "Se ha añadido una llave de acceso",
        text: "Se ha añadido una llave de acceso a tu cuenta de Farline. Sirve para entrar.",
      },
      passkey_removed: {
        subject: "Se ha quitado una llave de acceso",
        text: "Se ha quitado una llave de acceso de tu cuenta de Farline. Ya no sirve para entrar.",
      },
      limits_loosened: {
        subject: "Tus propios límites ahora permiten más",
        text: "Tus propios límites para llamadas se cambiaron o se quitaron en tu cuenta de Farline: ahora las llamadas pueden costar más o llegar a más países.",
      },
      caller_number_added: {
        subject: "Tus llamadas muestran ahora otro número",
        text: "Se confirmó un número de teléfono en tu cuenta de Farline. Las personas a las que llamas lo ven desde ahora, y quien devuelva la llamada llegará a ese número.",
      },
    },
  },
  account: {
    button: "Escribirnos",
    locked: {
      subject: "Hemos bloqueado las llamadas y los pagos de tu cuenta",
      because: {
        payment: "Tenemos que revisar un pago con tarjeta de tu cuenta de Farline.",
        calls: "Las llamadas de tu cuenta de Farline no parecen habituales y queremos estar seguros de que eres tú.",
        owner: "Nos pediste bloquear tu cuenta de Farline.",
        review: "Una persona tiene que revisar algo de tu cuenta de Farline.",
      },
      text: "Hasta entonces no puedes llamar ni recargar. Sí puedes entrar y ver tus llamadas y tus contactos.",
      note: "Escríbenos y lo miraremos pronto.",
      paymentNote: "Escríbenos y lo miraremos pronto. Por favor, no pidas a tu banco que devuelva un pago antes de escribirnos.",
    },
    events: {
      account_unfrozen: {
        subject: "Tu cuenta vuelve a estar abierta",
        text: "Hemos revisado tu cuenta de Farline. Ya puedes volver a llamar y a recargar.",
        note: "Gracias por tu paciencia. Si algo sigue sin funcionar, escríbenos.",
      },
      caller_number_removed: {
        subject: "Tus llamadas ya no muestran uno de tus números",
        text: "Alguien nos dijo que un número que mostraban tus llamadas es suyo. Lo hemos quitado de tu cuenta de Farline. Las personas a las que llamas ven ahora otro número.",
        note: "Si el número es tuyo, escríbenos.",
      },
    },
  },
  cases: {
    topic: "Tema: {topic}",
    topics: {
      sound: "Llamadas y sonido",
      charge: "Un cobro",
      number: "Un número al que no puedo llamar",
      payment: "Un pago o reembolso",
      account: "Mi cuenta",
      other: "Otra cosa",
    },
    button: "Ver mis preguntas",
    received: {
      subject: "Recibimos tu pregunta {number}",
      text: "Gracias por escribirnos. Una persona leerá tu pregunta y te responderá por correo.",
      note: "Si no fuiste tú, ignora este correo.",
    },
    answered: {
      subject: "Nuestra respuesta a tu pregunta {number}",
      note: "Si esto no te ayuda, pregunta otra vez en la misma página.",
    },
  },
  closing: {
    subject: "Tu cuenta se va a eliminar",
    paragraphs: [
      "Pediste que eliminemos tu cuenta de Farline. Ya no sirve para llamadas ni pagos, y cerramos la sesión en todos tus dispositivos.",
      "La eliminaremos el {when}. Hasta entonces puedes conservarla: inicia sesión y elige Conservar mi cuenta.",
    ],
    button: "Iniciar sesión",
    note: "¿No fuiste tú? Inicia sesión, conserva la cuenta y elige una contraseña nueva.",
  },
  erased: {
    subject: "Tu cuenta se ha eliminado",
    paragraphs: [
      "Eliminamos tu cuenta de Farline, con tu nombre, tus contactos, tus accesos y tus tarjetas guardadas.",
      "Conservamos los registros de pagos y cobros que exige la ley, sin tu nombre y sin números de teléfono completos. Este es nuestro último correo.",
    ],
    button: "Qué conservamos y por qué",
    note: "Gracias por llamar con nosotros. Puedes registrarte otra vez cuando quieras.",
  },
  paymentFailed: {
    button: "Ver mi página de pagos",
    events: {
      declined: {
        subject: "Tu recarga automática no funcionó",
        text: "Tu tarjeta no pagó la recarga automática de {amount}. Lo intentaremos una vez más cuando te quede poco saldo.",
        note: "Revisa tu tarjeta o guarda otra. También puedes recargar por tu cuenta.",
      },
      stopped: {
        subject: "Tu recarga automática se ha detenido",
        text: "Tu tarjeta no pagó la recarga automática de {amount} por segunda vez. No lo intentaremos más.",
        note: "Para continuar, guarda otra tarjeta o vuelve a activar la recarga automática en tu página de pagos.",
      },
      authentication_required: {
        subject: "Tu banco quiere que confirmes",
        text: "Tu banco no permitió la recarga automática de {amount}: quiere que confirmes el pago tú mismo. La recarga automática está detenida hasta entonces.",
        note: "Abre tu página de pagos y haz un pago. Tu banco te lo preguntará allí. Con algunas tarjetas esto ocurre siempre: quizá convenga otra tarjeta.",
      },
      not_arrived: {
        subject: "Tu pago no llegó",
        text: "No recibimos tu pago de {amount}, así que no se añadió saldo.",
        note: "Puedes intentarlo de nuevo, también con otra forma de pago. Si salió dinero de tu cuenta, escríbenos.",
      },
    },
  },
  receipt: {
    kinds: {
      payment: {
        subject: "Tu recibo {number}",
        text: "Gracias. Recibimos {amount} y tu saldo está listo para usar.",
      },
      auto_top_up: {
        subject: "Tu recarga automática, recibo {number}",
        text: "Te quedaba poco saldo, así que lo recargamos con {amount} de tu tarjeta guardada, como nos pediste.",
      },
      refund: {
        subject: "Tu reembolso, recibo {number}",
        text: "Devolvimos {amount} por el mismo medio con el que pagaste. Tu banco puede tardar de 5 a 10 días en mostrarlo.",
      },
      withdrawal: {
        subject: "Tu retiro, recibo {number}",
        text: "Devolvimos {amount} de saldo sin usar por el mismo medio con el que pagaste. Tu banco puede tardar de 5 a 10 días en mostrarlo.",
      },
      refund_returned: {
        subject: "Un reembolso fue rechazado, recibo {number}",
        text: "No se pudo entregar el reembolso de {amount}. El importe vuelve a estar en tu saldo.",
      },
    },
    facts: {
      number: "Recibo: {number}",
      at: "Fecha: {when}",
      amount: "Importe: {amount}",
      tax: "Impuesto incluido: {amount} ({percent} %)",
      bonus: "Saldo de regalo: {amount}",
      credited: "Crédito recibido: {amount}",
      card: "Tarjeta: {card}",
      seller: "Vendedor: {seller}",
    },
    sample: "Esta es una muestra de un entorno de prueba. No se movió dinero real.",
    button: "Ver el recibo",
    note: "En su página puedes imprimirlo o guardarlo como archivo PDF. Si algo no está bien, escríbenos.",
  },
};
