//! Invented sentences about a harbour.

use super::*;

#[test]
fn sentences() {
    #[rustfmt::skip]
    let sentences = [
        ("en", "The ferry between the two islands will run every hour from Monday on, and the tickets are sold on board."),
        ("de", "Die Fähre zwischen den beiden Inseln fährt ab Montag jede Stunde, und die Karten werden wie immer an Bord verkauft, sagte das Hafenamt."),
        ("nl", "De veerboot tussen de twee eilanden vaart vanaf maandag elk uur, en de kaartjes worden zoals altijd aan boord verkocht, zei het havenkantoor."),
        ("sv", "Färjan mellan de två öarna går varje timme från och med måndag, och biljetterna säljs som alltid ombord, säger hamnkontoret som inte vill att det ska bli dyrare."),
        ("fi", "Lautta kulkee saarten välillä joka tunti maanantaista alkaen, ja liput myydään laivalla kuten ennenkin, mutta se ei ole enää halpa, sanoi satama, joka on myös vuokrannut uuden aluksen."),
        ("hu", "A komp hétfőtől minden órában közlekedik a két sziget között, és a jegyeket már csak a fedélzeten lehet megvenni, mert az iroda nem nyit ki, mondta a kikötő, és ez így is lesz."),
        ("fr", "Le ferry entre les deux îles partira toutes les heures à partir de lundi, et les billets sont vendus à bord, comme toujours, a dit la capitainerie."),
        ("es", "El ferry entre las dos islas saldrá cada hora a partir del lunes, y los billetes se venden a bordo como siempre, dijo la oficina del puerto."),
        ("pt", "A balsa entre as duas ilhas vai sair de hora em hora a partir de segunda, e os bilhetes são vendidos a bordo, como sempre, disse o escritório do porto, que não vai mudar os preços."),
        ("it", "Il traghetto tra le due isole partirà ogni ora da lunedì, e i biglietti sono venduti a bordo come sempre, ha detto l'ufficio del porto, che non ha cambiato le tariffe della linea."),
        ("ca", "El transbordador entre les dues illes sortirà cada hora a partir de dilluns, i els bitllets es venen a bord, com sempre, amb una tarifa que també és per a les bicicletes."),
        ("ro", "Feribotul dintre cele două insule va pleca în fiecare oră de luni, iar biletele se vând la bord, ca întotdeauna, a spus căpitănia, care nu a schimbat prețurile și nici orele din port."),
        ("pl", "Prom między wyspami będzie kursował co godzinę od poniedziałku, a bilety są jak zawsze sprzedawane na pokładzie, bo biuro portu nie jest jeszcze otwarte i to się nie zmieni."),
        ("cs", "Trajekt mezi ostrovy bude od pondělí jezdit každou hodinu a jízdenky se jako vždy prodávají na palubě, protože kancelář přístavu je zavřená a podle úřadu to tak bude i v létě, který je blízko."),
        ("tr", "Adalar arasındaki feribot pazartesiden sonra her saat kalkacak ve biletler her zaman olduğu gibi gemide satılacak, ama bu yıl için fiyat daha yüksek, dedi liman müdürü, bir de yeni gemi var."),
        ("vi", "Phà giữa hai đảo sẽ chạy mỗi giờ từ thứ hai và vé được bán trên tàu như mọi khi, không có thay đổi về giá cho những người đi xe đạp, theo văn phòng của cảng."),
        ("id", "Feri antara kedua pulau itu akan berangkat setiap jam dan tiket dijual di kapal seperti biasa, karena kantor pelabuhan tidak buka pada hari ini, dan harga untuk sepeda juga tidak naik."),
        ("ru", "Паром между островами будет ходить каждый час с понедельника, и билеты, как всегда, продают на борту, но цена для велосипедов не изменилась, сказал начальник порта."),
        ("uk", "Пором між островами ходитиме щогодини з понеділка, і квитки, як завжди, продають на борту, але ціна для велосипедів не змінилася, сказав начальник порту, який був на причалі."),
        ("bg", "Фериботът между островите ще тръгва на всеки час от понеделник и билетите се продават на борда, но цената за велосипеди не е променена, каза началникът на пристанището, който е тук от години."),
        ("el", "Το φέρι ανάμεσα στα δύο νησιά θα φεύγει κάθε ώρα από τη Δευτέρα."),
        ("he", "המעבורת בין שני האיים תצא בכל שעה מיום שני והכרטיסים נמכרים על הסיפון."),
        ("ar", "ستنطلق العبارة بين الجزيرتين كل ساعة من يوم الاثنين، وقد قال مدير الميناء إن التذاكر التي تباع على متن السفينة لا تزال كما كان سعرها في العام الماضي."),
        ("fa", "کشتی بین دو جزیره از دوشنبه هر ساعت حرکت می کند و بلیت را در کشتی می فروشند، اما برای دوچرخه این قیمت تا پایان سال است که با آن موافقت شده بود."),
        ("hi", "दोनों द्वीपों के बीच नाव सोमवार से हर घंटे चलेगी और टिकट नाव पर ही मिलते हैं, बंदरगाह के अधिकारी ने कहा कि इस साल भी किराया नहीं बढ़ा है।"),
        ("th", "เรือข้ามฟากระหว่างสองเกาะจะออกทุกชั่วโมงตั้งแต่วันจันทร์"),
        ("ko", "두 섬 사이의 배는 월요일부터 매시간 다니고 표는 배에서 팝니다."),
        ("ja", "二つの島を結ぶ船は月曜日から一時間ごとに出て、切符は船の中で売られます。"),
        ("zh", "两个岛之间的渡轮从星期一起每小时一班，船票照旧在船上出售。"),
        ("bn", "দুই দ্বীপের মধ্যে ফেরি সোমবার থেকে প্রতি ঘণ্টায় চলবে।"),
        ("ta", "இரண்டு தீவுகளுக்கும் இடையே படகு ஒவ்வொரு மணி நேரமும் செல்லும்."),
        ("ka", "ბორანი ორ კუნძულს შორის ყოველ საათში გავა ორშაბათიდან."),
    ];
    for (language, sentence) in sentences {
        assert_eq!(detect(sentence), Some(language), "{sentence}");
    }
}

#[test]
fn a_letter_of_korean_is_a_syllable() {
    let text = "Localhost에서 elastic cache에는 원칙적으로 접근할 수 없다. Docker image를 받아 Redis client로 접속한다.";
    assert_eq!(detect(text), Some("ko"));
}

#[test]
fn too_little_is_no_answer() {
    for text in [
        "",
        "Home",
        "Tide tables",
        "12:30 13:30 14:30",
        // A word of Afrikaans, and letters of Slovak.
        &"word ".repeat(40),
        &"s o z a v ".repeat(10),
        "OK OK OK OK OK OK OK OK OK OK OK OK OK OK",
    ] {
        assert_eq!(detect(text), None, "{text}");
    }
}

#[test]
fn another_language_in_between_does_not_matter() {
    let text = "The ferry is called 渡し舟, which is Japanese for what it is, and it was built for the lake in the north of the island.";
    assert_eq!(detect(text), Some("en"));
}

#[test]
fn the_table_fits() {
    let (languages, words) = &*TABLE;
    assert!(languages.len() <= 64);
    assert!(words.keys().all(|word| word.len() <= 32 && *word == word.to_lowercase()));
}

#[test]
fn cyrillic_letters() {
    let russian = "Названы цены: билеты, места, рейсы, этажи, экипажи, объявленные вчера вечером";
    assert_eq!(detect(russian), Some("ru"));
    let ukrainian =
        "Названо ціни: квитки, місця, її рейси, її поверхи, єдині екіпажі, оголошені вчора";
    assert_eq!(detect(ukrainian), Some("uk"));
    assert_eq!(
        detect("Цени: билети, места, рейсове, етажи, екипажи, обявени вчера вечерта, гарата"),
        None
    );
}

#[test]
fn the_confidence_grows_with_the_margin() {
    let margins = [-0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 1.0];
    let sure = margins.map(confidence);
    assert!(sure.is_sorted() && sure.iter().all(|sure| (0.6..1.0).contains(sure)), "{sure:?}");
    assert!((confidence(0.2) - 0.878).abs() < 0.001 && confidence(0.5) > 0.99);
    // Words of Ukrainian that Belarusian and Russian have, too.
    let near = "Пором між островами ходитиме щогодини з понеділка, і квитки, як завжди, продають на борту, але ціна для велосипедів не змінилася, сказав начальник порту, який був на причалі.";
    let far = "The ferry between the two islands will run every hour from Monday on, and the tickets are sold on board.";
    let (near, far) = (identify(near).unwrap(), identify(far).unwrap());
    assert_eq!((near.0, far.0), ("uk", "en"));
    assert!(near.1 < far.1, "{near:?} {far:?}");
}
