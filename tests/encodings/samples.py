"""One realistic file for each encoding, with what the tests look for and change in it."""

from __future__ import annotations

from typing import NamedTuple

from tests.encodings.paragraphs import (
    CZECH,
    FRENCH,
    GERMAN,
    GREEK,
    JAPANESE,
    KOREAN,
    RUSSIAN,
    SIMPLIFIED,
    TRADITIONAL,
)


class Sample(NamedTuple):
    """A text in an encoding: `word` occurs once, `added` is new, `strange` cannot be written."""

    name: str
    encoding: str
    text: str
    word: str
    added: str
    strange: str = "\U0001f600"
    mark: bytes = b""

    @property
    def raw(self) -> bytes:
        """The bytes of the file."""
        return self.mark + self.text.encode(self.encoding)


_CODE = "limit = 30\nurl = 'http://localhost/' # see below\n"
_RARE = "\U00020000"  # an ideograph that GB18030 writes in four bytes

SAMPLES = (
    Sample("gbk", "gbk", _CODE + SIMPLIFIED, "测试的时候发现", "蓝色的天空"),
    Sample(
        "gb18030", "gb18030", _CODE + SIMPLIFIED + _RARE + "\n", "测试的时候发现", "蓝色\u3400", ""
    ),
    Sample("big5", "big5", _CODE + TRADITIONAL, "測試時發現", "藍色的天空"),
    Sample("shift-jis", "shift_jis", _CODE + JAPANESE, "来月には", "青い空の表"),
    Sample("euc-jp", "euc_jp", _CODE + JAPANESE, "来月には", "青い空"),
    Sample("euc-kr", "euc_kr", _CODE + KOREAN, "다음 달에", "푸른 하늘"),
    Sample("cp1251", "cp1251", _CODE + RUSSIAN, "Вчера вечером", "Съешь ещё"),
    Sample("koi8-r", "koi8-r", _CODE + RUSSIAN, "Вчера вечером", "Съешь ещё"),
    Sample("cp1252", "cp1252", _CODE + GERMAN, "Gestern Abend", "Früh übt Äpfel", "ř"),
    Sample("iso-8859-2", "iso8859-2", _CODE + CZECH, "Včera večer", "Žluťoučký kůň", "я"),
    Sample("iso-8859-7", "iso8859-7", _CODE + GREEK, "Χθες το βράδυ", "γαλάζιος ουρανός", "я"),
    Sample("iso-8859-15", "iso8859-15", _CODE + FRENCH, "Hier soir", "Où est l'été, 7 €", "я"),
    Sample("utf-16-le", "utf-16-le", _CODE + RUSSIAN, "Вчера вечером", "Съешь 😀", ""),
    Sample("utf-16-be", "utf-16-be", _CODE + SIMPLIFIED, "测试的时候发现", "蓝色 😀", ""),
    Sample("utf-32-le", "utf-32-le", _CODE + GERMAN, "Gestern Abend", "Früh 😀", ""),
    Sample("utf-32-be", "utf-32-be", _CODE + JAPANESE, "来月には", "青い空 😀", ""),
    Sample("utf-16-le-bom", "utf-16-le", _CODE + CZECH, "Včera večer", "Žluť 😀", "", b"\xff\xfe"),
    Sample("utf-16-be-bom", "utf-16-be", _CODE + GREEK, "Χθες το βράδυ", "α 😀", "", b"\xfe\xff"),
    Sample(
        "utf-32-le-bom", "utf-32-le", _CODE + KOREAN, "다음 달에", "푸른 😀", "", b"\xff\xfe\0\0"
    ),
    Sample("utf-32-be-bom", "utf-32-be", _CODE + FRENCH, "Hier soir", "Où 😀", "", b"\0\0\xfe\xff"),
)
