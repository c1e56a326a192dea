"""Sentences as they occur in notes, manuals and comments, by language, written for these tests."""

from __future__ import annotations

SIMPLIFIED = """
本模块负责读取用户配置，并在服务启动之前检查每一个字段是否合法。
如果配置文件不存在，程序会使用默认值，同时在日志中写下一条警告。
请不要在生产环境中打开调试模式，否则密码可能会出现在日志里。
数据库连接池的大小取决于机器的内存，一般情况下二十个连接就够用了。
昨天晚上我们把订单系统迁移到了新的机房，整个过程用了不到两个小时。
用户反映在手机上无法上传头像，原因是图片超过了五兆字节的限制。
这个函数返回两个日期之间的天数，结果可能为负数。
缓存过期以后，第一次请求会比较慢，这是正常现象。
关于退款流程，请参考客服手册第三章，特别是跨境订单的部分。
测试的时候发现，当名字里有空格时，导出的表格会少一列。
我们计划在下个月发布新版本，届时旧的接口将不再维护。
所有金额都以分为单位保存，显示的时候再换算成元。
"""

TRADITIONAL = """
這個模組負責讀取使用者的設定，並在伺服器啟動之前檢查每一個欄位。
如果找不到設定檔，程式會採用預設值，同時在記錄檔裡留下一則警告。
請勿在正式環境開啟除錯模式，否則密碼可能會出現在記錄裡面。
資料庫連線的數量取決於機器的記憶體，一般來說二十條連線就已經足夠。
昨天晚上我們把訂單系統搬到新的機房，整個過程不到兩個小時就完成了。
有使用者反映手機上無法上傳大頭貼，原因是圖片超過了大小的限制。
這個函式會傳回兩個日期之間的天數，結果有可能是負數。
快取過期之後，第一次的請求會比較慢，這是正常的現象。
關於退款的流程，請參考客服手冊第三章，尤其是海外訂單的部分。
測試時發現，當姓名裡面有空白的時候，匯出的表格會少一個欄位。
我們預計在下個月推出新的版本，屆時舊的介面將不再維護。
所有的金額都以分為單位儲存，顯示的時候再換算成元。
"""

JAPANESE = """
このモジュールは設定ファイルを読み込み、起動する前にすべての項目を検査します。
設定ファイルが見つからない場合は、既定の値を使い、ログに警告を残します。
本番環境ではデバッグモードを有効にしないでください。パスワードが記録されることがあります。
データベースの接続数はメモリの大きさによりますが、普通は二十本で十分です。
昨日の夜、注文システムを新しいデータセンターへ移しました。作業は二時間ほどで終わりました。
携帯電話から写真を送れないという報告がありました。原因は画像の大きさの制限でした。
この関数は二つの日付の間の日数を返します。結果は負の数になることもあります。
キャッシュの期限が切れた後、最初の要求は少し遅くなりますが、問題ではありません。
返金の手順については、利用者の手引きの第三章を参照してください。
テストの途中で、名前に空白があると表の列が一つ足りなくなることに気づきました。
来月には新しい版を公開する予定です。古いインターフェースは廃止されます。
ソースコードの表示と能力の予測には、十分な注意が必要です。
"""

KOREAN = """
이 모듈은 설정 파일을 읽고 서버가 시작되기 전에 모든 항목을 검사합니다.
설정 파일이 없으면 기본값을 사용하고 로그에 경고를 남깁니다.
운영 환경에서는 디버그 모드를 켜지 마십시오. 비밀번호가 로그에 남을 수 있습니다.
데이터베이스 연결 수는 메모리 크기에 따라 다르지만 보통 스무 개면 충분합니다.
어젯밤에 주문 시스템을 새로운 전산실로 옮겼습니다. 두 시간도 걸리지 않았습니다.
휴대전화에서 사진을 올릴 수 없다는 신고가 들어왔는데 원인은 파일 크기 제한이었습니다.
이 함수는 두 날짜 사이의 일수를 돌려주며 결과는 음수일 수도 있습니다.
캐시가 만료된 뒤 첫 번째 요청은 조금 느릴 수 있으며 이는 정상입니다.
환불 절차에 대해서는 고객 지원 안내서의 세 번째 장을 참고하시기 바랍니다.
시험하는 동안 이름에 공백이 있으면 내보낸 표에서 열이 하나 빠지는 것을 발견했습니다.
다음 달에 새 판을 내놓을 예정이며 그때부터 예전 인터페이스는 지원하지 않습니다.
모든 금액은 가장 작은 단위로 저장하고 보여 줄 때 환산합니다.
"""

RUSSIAN = """
Этот модуль читает настройки пользователя и проверяет каждое поле до запуска сервера.
Если файл настроек не найден, программа берёт значения по умолчанию и пишет предупреждение.
Не включайте отладочный режим на рабочем сервере: пароли могут попасть в журнал.
Число соединений с базой данных зависит от объёма памяти, обычно хватает двадцати.
Вчера вечером мы перенесли систему заказов в новый центр, это заняло меньше двух часов.
Пользователи жалуются, что с телефона нельзя загрузить фотографию: она слишком большая.
Функция возвращает число дней между двумя датами, результат может быть отрицательным.
После очистки кэша первый запрос выполняется медленнее, так и должно быть.
О порядке возврата денег читайте в третьей главе руководства для операторов.
При проверке выяснилось, что пробел в имени сдвигает столбцы выгруженной таблицы.
В следующем месяце выйдет новая версия, старый интерфейс больше не поддерживается.
Все суммы хранятся в копейках и пересчитываются в рубли только при показе.
"""

GERMAN = """
Dieses Modul liest die Einstellungen und prüft vor dem Start jedes Feld auf Gültigkeit.
Fehlt die Datei, wählt das Programm übliche Werte und schreibt eine Warnung ins Protokoll.
Schalten Sie die Fehlersuche im Betrieb nicht ein: Passwörter könnten sonst lesbar sein.
Die Größe des Speichers bestimmt, wie viele Verbindungen zur Datenbank möglich sind.
Gestern Abend haben wir die Bestellungen auf neue Rechner verlegt, ganz ohne Störung.
Kunden können über das Telefon keine Bilder hochladen, weil die Größe beschränkt ist.
Die Funktion gibt die Tage zwischen zwei Daten zurück, das Ergebnis kann negativ sein.
Après l’expiration du cache, la première requête est plus lente, c’est tout à fait normal.
Pour les remboursements, référez-vous au troisième chapitre du guide des opérateurs.
Le champ « prénom » ne peut être vide ; à défaut, l’élève reçoit un numéro généré.
Überprüfen Sie außerdem, ob die Straße und die Hausnummer getrennt gespeichert wurden.
Alle Beträge werden in Cent geführt und erst für die Anzeige in Euro umgerechnet – natürlich.
"""

CZECH = """
Tento modul načítá nastavení uživatele a před spuštěním serveru kontroluje každé pole.
Pokud soubor s nastavením chybí, použijí se výchozí hodnoty a do záznamu se zapíše varování.
Nezapínejte ladicí režim v ostrém provozu, hesla by se mohla objevit v záznamech.
Počet připojení k databázi závisí na velikosti paměti, obvykle jich stačí dvacet.
Včera večer jsme přestěhovali objednávky na nové počítače, trvalo to méně než dvě hodiny.
Uživatelé si stěžují, že z telefonu nelze nahrát fotografii, protože je příliš velká.
Funkce vrací počet dnů mezi dvěma daty, výsledek může být záporný.
Po vypršení mezipaměti je první požadavek pomalejší, což je zcela běžné.
O vracení peněz se dočtete ve třetí kapitole příručky pro zákaznickou podporu.
Při zkoušce se ukázalo, že mezera ve jméně posune sloupce vyvezené tabulky.
Příští měsíc vydáme novou verzi, staré rozhraní už nebude udržováno.
Všechny částky se ukládají v haléřích a teprve při zobrazení se převádějí na koruny.
"""

GREEK = """
Αυτή η ενότητα διαβάζει τις ρυθμίσεις του χρήστη και ελέγχει κάθε πεδίο πριν την εκκίνηση.
Αν το αρχείο ρυθμίσεων λείπει, το πρόγραμμα παίρνει τις προεπιλεγμένες τιμές.
Μην ενεργοποιείτε την αποσφαλμάτωση σε κανονική λειτουργία, γιατί φαίνονται οι κωδικοί.
Ο αριθμός των συνδέσεων με τη βάση δεδομένων εξαρτάται από τη μνήμη του υπολογιστή.
Χθες το βράδυ μεταφέραμε το σύστημα παραγγελιών σε νέο χώρο μέσα σε δύο ώρες.
Οι χρήστες λένε ότι δεν μπορούν να ανεβάσουν φωτογραφία από το κινητό τηλέφωνο.
Η συνάρτηση επιστρέφει τις ημέρες ανάμεσα σε δύο ημερομηνίες, ίσως και αρνητικό αριθμό.
Όταν λήξει η προσωρινή μνήμη, το πρώτο αίτημα είναι πιο αργό και αυτό είναι φυσιολογικό.
Για τις επιστροφές χρημάτων διαβάστε το τρίτο κεφάλαιο του εγχειριδίου.
Στις δοκιμές είδαμε ότι ένα κενό στο όνομα μετακινεί τις στήλες του πίνακα.
Τον επόμενο μήνα θα βγει η νέα έκδοση και η παλιά διεπαφή δεν θα συντηρείται πια.
Όλα τα ποσά αποθηκεύονται σε λεπτά και μετατρέπονται μόνο όταν εμφανίζονται.
"""

FRENCH = """
Ce module lit les réglages de l'utilisateur et vérifie chaque champ avant le démarrage.
Si le fichier est introuvable, le programme prend les valeurs habituelles et prévient.
N'activez jamais le mode de mise au point en production : les mots de passe seraient visibles.
Le nombre de connexions à la base dépend de la mémoire, vingt suffisent généralement.
Le prix de l'œuvre est de 45 €, celui du cœur en bois d'érable de 120 €, taxes comprises.
Hier soir, nous avons déplacé les commandes vers une nouvelle salle, sans la moindre gêne.
La sœur de l'élève a reçu 300 € de bourse, versés à la fin du mois d'août.
La fonction renvoie le nombre de jours entre deux dates, éventuellement négatif.
Après l'expiration du cache, la première requête est plus lente, c'est tout à fait normal.
Pour les remboursements de plus de 50 €, référez-vous au troisième chapitre du guide.
Le mois prochain paraîtra une nouvelle version ; l'ancienne interface ne sera plus maintenue.
Tous les montants sont enregistrés en centimes et convertis en euros à l'affichage.
"""

PARAGRAPHS = {
    "gbk": SIMPLIFIED,
    "gb18030": SIMPLIFIED,
    "big5": TRADITIONAL,
    "shift_jis": JAPANESE,
    "euc_jp": JAPANESE,
    "euc_kr": KOREAN,
    "cp1251": RUSSIAN,
    "koi8_r": RUSSIAN,
    "cp1252": GERMAN,
    "iso8859_2": CZECH,
    "iso8859_7": GREEK,
    "iso8859_15": FRENCH,
}
