import type { MailTexts } from "./mail-texts.ts";

export const fr: MailTexts = {
  direction: "ltr",
  greeting: "Bonjour {name},",
  greetingWithoutName: "Bonjour,",
  linkHint: "Si le bouton ne marche pas, ouvrez cette adresse :",
  help: "Des questions ? Écrivez à {support}.",
  firstCallFree: "Votre premier appel est ensuite gratuit, jusqu’à {firstCall}.",
  footer: {
    account: "Vous recevez ce message parce que vous avez un compte Farline.",
    newsletter: "Vous recevez ce message parce que cette adresse a été saisie pour recevoir les tarifs de Farline.",
  },
  links: {
    verify_email: {
      subject: "Confirmez votre adresse e-mail",
      paragraphs: [
        "Merci d’avoir choisi Farline. Confirmez que cette adresse e-mail est bien la vôtre.",
        "Le lien est valable 24 heures.",
      ],
      button: "Confirmer mon adresse",
      note: "Vous ne vous êtes pas inscrit chez Farline ? Ignorez ce message. Sans le lien, il ne se passe rien.",
    },
    reset_password: {
      subject: "Choisissez un nouveau mot de passe",
      paragraphs: [
        "Quelqu’un, vous sans doute, a demandé un nouveau mot de passe pour votre compte Farline.",
        "Le lien marche une seule fois, pendant 30 minutes. Ensuite, tous vos appareils sont déconnectés, les clés d’accès et Google sont supprimés, et vous vous connectez avec le nouveau mot de passe.",
      ],
      button: "Choisir un nouveau mot de passe",
      note: "Ce n’était pas vous ? Ignorez ce message. Votre mot de passe reste le même.",
    },
    change_email_new: {
      subject: "Confirmez votre nouvelle adresse e-mail",
      paragraphs: [
        "Vous avez demandé à utiliser {newEmail} pour votre compte Farline. Confirmez que cette adresse est bien la vôtre.",
        "Si nous avons aussi écrit à votre adresse actuelle, ouvrez également le lien de ce message. Les deux liens sont valables 24 heures.",
      ],
      button: "Confirmer la nouvelle adresse",
      note: "Vous n’avez rien demandé ? Ignorez ce message. Sans le lien, rien ne change.",
    },
    change_email_old: {
      subject: "Confirmez le changement de votre adresse e-mail",
      paragraphs: [
        "Quelqu’un, vous sans doute, a demandé de remplacer l’adresse e-mail de votre compte Farline par {newEmail}.",
        "Le changement se fait quand il est confirmé ici et à la nouvelle adresse. Les deux liens sont valables 24 heures.",
      ],
      button: "Confirmer le changement",
      note: "Ce n’était pas vous ? N’ouvrez pas le lien. Connectez-vous et choisissez tout de suite un nouveau mot de passe.",
    },
    export_ready: {
      subject: "Vos données sont prêtes",
      paragraphs: [
        "Vous avez demandé une copie de tout ce que Farline conserve sur vous. Vous pouvez la télécharger.",
        "Le lien fonctionne une fois, pendant {days} jours, et seulement si vous êtes connecté à votre compte. Ensuite, nous supprimons le fichier.",
      ],
      button: "Télécharger mes données",
      note: "Ce n’était pas vous ? Ne transférez pas cet e-mail. Connectez-vous et choisissez un nouveau mot de passe.",
    },
    newsletter_confirm: {
      subject: "Confirmez votre abonnement",
      paragraphs: ["Confirmez que vous voulez recevoir les nouveaux tarifs de Farline à cette adresse."],
      button: "Recevoir les tarifs",
      note: "Vous n’avez rien demandé ? Ignorez ce message. Nous ne vous écrirons plus.",
    },
    newsletter_welcome: {
      subject: "Vous recevrez nos nouveaux tarifs",
      paragraphs: [
        "Merci. Désormais, les nouveaux tarifs de Farline arrivent à cette adresse.",
        "Vous pouvez vous désabonner à tout moment :",
      ],
      button: "Me désabonner",
      note: "Gardez ce message pour avoir le lien sous la main. Chaque message en contient un aussi.",
    },
  },
  notice: {
    when: "Quand : {when}",
    device: "Appareil : {device}",
    button: "Choisir un nouveau mot de passe",
    note: "Ce n’était pas vous ? Choisissez tout de suite un nouveau mot de passe. Cela déconnecte tous les appareils.",
    removed: "Nous avons aussi supprimé ce qu’une autre personne a pu ajouter : {things}.",
    things: {
      email_change: "un changement d’adresse e-mail",
      passkeys: "les clés d’accès",
      google: "un compte Google",
      authenticator: "la connexion en deux étapes",
      auto_top_up: "la recharge automatique",
      saved_cards: "les cartes enregistrées",
      live_calls: "les appels en cours",
      caller_number: "le numéro affiché par vos appels",
    },
    codeStays:
      "La connexion en deux étapes reste active : un code de votre application d’authentification est demandé. Si vous ne l’avez pas activée, écrivez-nous.",
    events: {
      password_changed: {
        subject: "Votre mot de passe a changé",
        text: "Le mot de passe de votre compte Farline a été changé. Tous les autres appareils ont été déconnectés.",
      },
      password_reset: {
        subject: "Vous avez un nouveau mot de passe",
        text: "Un nouveau mot de passe a été choisi pour votre compte Farline grâce au lien d’un message. Tous les appareils ont été déconnectés.",
      },
      address_proved: {
        subject: "Vous avez confirmé votre adresse e-mail avec Google",
        text: "Votre compte Farline s’ouvre maintenant avec Google. Quelqu’un s’était inscrit avec votre adresse sans jamais la confirmer. Ce mot de passe ne fonctionne plus et tous les appareils ont été déconnectés.",
      },
      email_changed: {
        subject: "Votre adresse e-mail a changé",
        text: "Votre compte Farline a une nouvelle adresse e-mail. Nos messages n’arrivent plus à celle-ci.",
      },
      session_stopped: {
        subject: "Nous avons déconnecté un de vos appareils",
        text: "Votre connexion à Farline a été utilisée depuis un navigateur qui n’est pas le sien. Par sécurité, nous y avons mis fin. Cela peut arriver quand vous effacez vos cookies.",
      },
      google_linked: {
        subject: "Vous pouvez maintenant vous connecter avec Google",
        text: "Un compte Google a été relié à votre compte Farline.",
      },
      google_unlinked: {
        subject: "La connexion avec Google a été retirée",
        text: "Le compte Google n’est plus relié à votre compte Farline.",
      },
      two_factor_on: {
        subject: "La connexion en deux étapes est activée",
        text: "Désormais, pour vous connecter à votre compte Farline, il faut aussi un code de votre application d’authentification.",
      },
      two_factor_off: {
        subject: "La connexion en deux étapes est désactivée",
        text: "Pour vous connecter à votre compte Farline, il ne faut plus de code d’une application d’authentification.",
      },
      recovery_codes_new: {
        subject: "Vous avez de nouveaux codes de secours",
        text: "De nouveaux codes de secours ont été créés pour votre compte Farline. Les anciens ne marchent plus.",
      },
      passkey_added: {
        subject: "Une clé d’accès a été ajoutée",
        text: "Une clé d’accès a été ajoutée à votre compte Farline. Elle permet de se connecter.",
      },
      passkey_removed: {
        subject: "Une clé d’accès a été retirée",
        text: "Une clé d’accès a été retirée de votre compte Farline. Elle ne permet plus de se connecter.",
      },
      limits_loosened: {
        subject: "Vos propres limites permettent maintenant plus",
        text: "Vos propres limites d’appel ont été modifiées ou retirées dans votre compte Farline : les appels peuvent maintenant coûter plus ou joindre plus de pays.",
      },
      caller_number_added: {
        subject: "Vos appels affichent maintenant un autre numéro",
        text: "Un numéro de téléphone a été confirmé dans votre compte Farline. Les personnes que vous appelez le voient désormais, et c’est lui qu’elles joignent en rappelant.",
      },
    },
  },
  account: {
    button: "Nous écrire",
    locked: {
      subject: "Nous avons bloqué les appels et les paiements de votre compte",
      because: {
        payment: "Un paiement par carte de votre compte Farline doit être vérifié.",
        calls: "Les appels de votre compte Farline sont inhabituels et nous voulons être sûrs que c’est bien vous.",
        owner: "Vous nous avez demandé de bloquer votre compte Farline.",
        review: "Une personne doit vérifier un point de votre compte Farline.",
      },
      text: "D’ici là, vous ne pouvez ni appeler ni recharger. Vous pouvez toujours vous connecter et voir vos appels et vos contacts.",
      note: "Écrivez-nous, nous regarderons bientôt.",
      paymentNote:
        "Écrivez-nous, nous regarderons bientôt. Merci de ne pas demander à votre banque de reprendre un paiement avant de nous avoir écrit.",
    },
    events: {
      account_unfrozen: {
        subject: "Votre compte est de nouveau ouvert",
        text: "Nous avons vérifié votre compte Farline. Vous pouvez de nouveau appeler et recharger.",
        note: "Merci de votre patience. Si quelque chose ne marche toujours pas, écrivez-nous.",
      },
      caller_number_removed: {
        subject: "Vos appels n’affichent plus un de vos numéros",
        text: "Une personne nous a signalé qu’un numéro affiché par vos appels est le sien. Nous l’avons retiré de votre compte Farline. Les personnes que vous appelez voient maintenant un autre numéro.",
        note: "Si ce numéro est le vôtre, écrivez-nous.",
      },
    },
  },
  cases: {
    topic: "Sujet : {topic}",
    topics: {
      sound: "Appels et son",
      charge: "Un débit",
      number: "Un numéro que je ne peux pas appeler",
      payment: "Un paiement ou un remboursement",
      account: "Mon compte",
      other: "Autre chose",
    },
    button: "Voir mes questions",
    received: {
      subject: "Nous avons reçu votre question {number}",
      text: "Merci de nous avoir écrit. Une personne lira votre question et vous répondra par e-mail.",
      note: "Si ce n’était pas vous, ignorez cet e-mail.",
    },
    answered: {
      subject: "Notre réponse à votre question {number}",
      note: "Si cela ne vous aide pas, posez une autre question sur la même page.",
    },
  },
  closing: {
    subject: "Votre compte va être supprimé",
    paragraphs: [
      "Vous nous avez demandé de supprimer votre compte Farline. Il est fermé pour les appels et les paiements, et tous vos appareils sont déconnectés.",
      "Nous le supprimons le {when}. D’ici là, vous pouvez le garder : connectez-vous et choisissez Garder mon compte.",
    ],
    button: "Se connecter",
    note: "Ce n’était pas vous ? Connectez-vous, gardez le compte et choisissez un nouveau mot de passe.",
  },
  erased: {
    subject: "Votre compte est supprimé",
    paragraphs: [
      "Votre compte Farline est supprimé, avec votre nom, vos contacts, vos connexions et vos cartes enregistrées.",
      "Nous gardons les traces de paiements et de débits que la loi exige, sans votre nom ni numéros complets. Ceci est notre dernier e-mail.",
    ],
    button: "Ce que nous gardons et pourquoi",
    note: "Merci d’avoir appelé avec nous. Vous pouvez vous inscrire à nouveau quand vous voulez.",
  },
  paymentFailed: {
    button: "Voir ma page de facturation",
    events: {
      declined: {
        subject: "Votre recharge automatique n’a pas fonctionné",
        text: "Votre carte n’a pas payé la recharge automatique de {amount}. Nous essaierons encore une fois quand votre crédit sera bas.",
        note: "Vérifiez votre carte ou enregistrez-en une autre. Vous pouvez aussi recharger vous-même.",
      },
      stopped: {
        subject: "Votre recharge automatique est arrêtée",
        text: "Votre carte n’a pas payé la recharge automatique de {amount}, pour la deuxième fois. Nous n’essaierons plus de nous-mêmes.",
        note: "Pour continuer, enregistrez une autre carte ou réactivez la recharge automatique sur votre page de facturation.",
      },
      authentication_required: {
        subject: "Votre banque veut votre confirmation",
        text: "Votre banque n’a pas permis la recharge automatique de {amount} : elle veut que vous confirmiez vous-même le paiement. La recharge automatique est arrêtée jusque-là.",
        note: "Ouvrez votre page de facturation et payez vous-même. Votre banque vous y posera la question. Avec certaines cartes, cela arrive à chaque fois : une autre carte peut être préférable.",
      },
      not_arrived: {
        subject: "Votre paiement n’est pas arrivé",
        text: "Nous n’avons pas reçu votre paiement de {amount} : aucun crédit n’a été ajouté.",
        note: "Vous pouvez réessayer, même avec un autre moyen de paiement. Si de l’argent a quitté votre compte, écrivez-nous.",
      },
    },
  },
  receipt: {
    kinds: {
      payment: {
        subject: "Votre reçu {number}",
        text: "Merci. Nous avons reçu {amount}, et votre crédit est prêt.",
      },
      auto_top_up: {
        subject: "Votre recharge automatique, reçu {number}",
        text: "Votre solde était bas. Nous l’avons rechargé de {amount} avec votre carte enregistrée, comme vous l’avez demandé.",
      },
      refund: {
        subject: "Votre remboursement, reçu {number}",
        text: "Nous avons renvoyé {amount} par le même moyen de paiement. Votre banque peut mettre 5 à 10 jours à l’afficher.",
      },
      withdrawal: {
        subject: "Votre retrait, reçu {number}",
        text: "Nous avons renvoyé {amount} de crédit non utilisé par le même moyen de paiement. Votre banque peut mettre 5 à 10 jours à l’afficher.",
      },
      refund_returned: {
        subject: "Un remboursement est revenu, reçu {number}",
        text: "Le remboursement de {amount} n’a pas abouti. Le montant est de nouveau dans votre solde.",
      },
    },
    facts: {
      number: "Reçu : {number}",
      at: "Date : {when}",
      amount: "Montant : {amount}",
      tax: "Taxe comprise : {amount} ({percent} %)",
      bonus: "Crédit offert : {amount}",
      credited: "Crédit reçu : {amount}",
      card: "Carte : {card}",
      seller: "Vendeur : {seller}",
    },
    sample: "Ceci est un exemple d’un bac à sable. Aucun argent réel n’a bougé.",
    button: "Voir le reçu",
    note: "Sur sa page, vous pouvez l’imprimer ou l’enregistrer en PDF. Si quelque chose ne va pas, écrivez-nous.",
  },
};
